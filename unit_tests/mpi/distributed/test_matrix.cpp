// Distributed matrices over MPI: products, rows on other ranks, assembly and redistribution against the serial ones.
#include <gtest/gtest.h>

#include "distributed/matrix_move_cases.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

TEST(DistributedMatrixOverMpi, MultipliesAsTheSerialProducts) {
  expect_right_products_of_all_kinds<double>(world(), ExchangeMode::blocking);
  expect_right_products_of_all_kinds<float>(world());
}

TEST(DistributedMatrixOverMpi, TakesRowsInAllForms) { expect_rows_in_all_forms<double>(world()); }

TEST(DistributedMatrixOverMpi, FetchesRowsOfOtherRanks) { expect_rows_of_other_ranks<double>(world()); }

TEST(DistributedMatrixOverMpi, GoesToOtherPartitions) { expect_redistribution<double>(world()); }

}  // namespace
}  // namespace ashlar::testing
