// Rows of distributed matrices: as applications have them, on other ranks, and in other partitions.
#include <gtest/gtest.h>

#include "distributed/matrix_move_cases.hpp"

namespace ashlar::testing {
namespace {

template <class Scalar>
class DistributedRowsOf : public ::testing::Test {};
using RowScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DistributedRowsOf, RowScalars);

TYPED_TEST(DistributedRowsOf, ComeInAllForms) {
  for (const int ranks : {1, 2, 3, 4}) {
    run_ranks(ranks, [](Communicator& comm) { expect_rows_in_all_forms<TypeParam>(comm); });
  }
}

TYPED_TEST(DistributedRowsOf, AreFetchedFromOtherRanks) {
  for (const int ranks : {1, 2, 3, 4}) {
    run_ranks(ranks, [](Communicator& comm) { expect_rows_of_other_ranks<TypeParam>(comm); });
  }
}

TYPED_TEST(DistributedRowsOf, GoToOtherPartitions) {
  for (const int ranks : {1, 2, 4}) {
    run_ranks(ranks, [](Communicator& comm) { expect_redistribution<TypeParam>(comm); });
  }
}

using A = DistributedMatrix<BcsrMatrix<double>>;

// More columns than 32 bits count, of which each rank has fewer.
TEST(DistributedRows, HaveColumnsBeyond32Bits) {
  run_ranks(3, [](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const std::int64_t giga = 1000000000;
    const RowPartition rows = sizes({1, 1, 1}), columns({0, 2 * giga, 4 * giga, 4 * giga + 8});
    const std::vector<std::int64_t> its{0, 2 * giga + comm.rank(), 3 * giga, 4 * giga + 7};
    const std::vector<double> values{1, 2, 3, 4};
    DistributedMatrixOptions options;
    options.halo.form = HaloForm::packed;
    const A a(exec, shared(comm), rows, columns, global_rows_of<double>(1, {0, 4}, its, values), options);
    EXPECT_EQ(a.num_global_cols(), 4 * giga + 8);
    EXPECT_EQ(a.num_global_blocks(), 12);
    const auto come = remote_rows(exec, a, {2, 0});
    const auto list = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), come.columns);
    ASSERT_EQ(list.extent(0), 8U);
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(list(k), k == 1 ? 2 * giga + 2 : its[k]);
      EXPECT_EQ(list(4 + k), k == 1 ? 2 * giga : its[k]);
    }
    EXPECT_EQ(to_host(come.values), (std::vector<double>{1, 2, 3, 4, 1, 2, 3, 4}));
  });
}

// Contributions whose sum depends on their order: by rank, and by position in the lists.
TEST(Assemble, AddsInTheOrderOfRanks) {
  run_ranks(3, [](Communicator& comm) {
    const Exec exec = instance_of_rank();
    BlockContributions<double> mine;
    const std::vector<double> values{1e16, 1, -1e16};
    for (const double value : {values[comm.rank()], 0.25 * comm.rank()}) mine.add(1, 0, &value, 1);
    const auto a = assemble<BcsrMatrix<double>>(exec, shared(comm), sizes({0, 0, 2}), sizes({1, 0, 0}), 1, mine);
    double expected = 0;
    for (int rank = 0; rank < 3; ++rank) expected = expected + values[rank] + 0.25 * rank;
    ASSERT_EQ(a.num_blocks(), comm.rank() == 2 ? 1 : 0);
    EXPECT_EQ(a.num_global_blocks(), 1);
    if (comm.rank() == 2) {
      EXPECT_EQ(to_host(a.remote().values())[0], expected);
    }
  });
}

TEST(Assemble, RefusesBlocksThatAreNotThere) {
  run_ranks(2, [](Communicator& comm) {
    const Exec exec = instance_of_rank();
    BlockContributions<double> mine;
    const std::vector<double> block(6, 1);
    mine.add(0, 0, block.data(), 6);
    if (comm.rank() == 1) mine.add(2, 5, block.data(), 6);
    const auto make = [&] {
      assemble<BcsrMatrix<double>>(exec, shared(comm), sizes({2, 1}), sizes({2, 3}), BlockShape(2, 3), mine);
    };
    if (comm.rank() == 1) {
      expect_refused<StructureError>("contribution 1 is to block (2, 5)", make);
    } else {
      EXPECT_ANY_THROW(make());
    }
  });
}

TEST(DistributedRows, RefuseWhatIsNoMatrix) {
  run_ranks(2, [](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto group = shared(comm);
    const RowPartition rows = sizes({1, 1}), columns = sizes({2, 2});
    const auto make = [&](std::vector<std::int64_t> its) {
      return A(exec, group, rows, columns,
               global_rows_of<double>(1, {0, static_cast<int>(its.size())}, its, std::vector<double>(its.size(), 1)));
    };
    EXPECT_EQ(make({3, 0}).num_global_blocks(), 4);
    expect_refused<StructureError>("has a block column twice", [&] { make({3, 0, 3}); });
    expect_refused<ArgumentError>("needs entry 4", [&] { make({4}); });
    expect_refused<ArgumentError>("needs entry -1", [&] { make({-1, 0}); });
    // Global rows that are none of this rank's, or twice.
    const Kokkos::View<int*, Space> row_ptr("row_ptr", 2), col_idx("col_idx", 0);
    const BcsrMatrix<double> empty(1, {2, row_ptr, col_idx}, {});
    const auto with_ghosts = [&](std::vector<std::int64_t> global_columns, std::vector<std::int64_t> global_row) {
      A(exec, group, rows, columns,
        RowsWithGhosts<BcsrMatrix<double>>{empty, device_list(global_columns), device_list(global_row)});
    };
    expect_refused<ShapeError>("global numbers of 1 columns", [&] { with_ghosts({0}, {}); });
    expect_refused<ArgumentError>("is global block row 2", [&] { with_ghosts({0, 3}, {2}); });
    with_ghosts({0, 3}, {comm.rank()});
  });
}

TEST(DistributedRows, RefuseOtherPartitions) {
  run_ranks(2, [](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto test = matrix_cases<double>(2)[1];
    const auto a = distributed(exec, shared(comm), test);
    expect_refused<ArgumentError>("a partition of 20 block rows",
                                  [&] { redistribute(exec, a, RowPartition::even(20, 2), test.column_map); });
    expect_refused<ArgumentError>("a partition of 3 parts",
                                  [&] { redistribute(exec, a, test.row_map, RowPartition::even(41, 3)); });
    expect_refused<ArgumentError>("there are 19", [&] { remote_rows(exec, a, {19}); });
    const Kokkos::View<double*, Space> x("x", 4);
    expect_refused<ShapeError>("redistribute: x of", [&] {
      redistribute(exec, comm, test.row_map, sizes({0, 19}), 2, x, x);
    });
  });
}

}  // namespace
}  // namespace ashlar::testing
