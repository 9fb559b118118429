// Tests that fail on purpose, on some ranks: what mpi_main.cpp makes of them is looked at from outside.
#include <gtest/gtest.h>

#include <stdexcept>

#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

TEST(MergePasses, AllPass) { EXPECT_GE(world().rank(), 0); }

class Merge : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Rank, Merge, ::testing::Values(0, 1, 2));
TEST_P(Merge, RankFails) {
  if (world().rank() == GetParam()) FAIL() << "without need";
}

TEST(MergeThrows, OnRank1) {
  if (world().rank() == 1) throw std::runtime_error("without need");
}

TEST(MergeSkips, All) { GTEST_SKIP(); }

}  // namespace
}  // namespace ashlar::testing
