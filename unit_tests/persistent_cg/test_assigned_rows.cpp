#include <gtest/gtest.h>

#include <ashlar/persistent_cg/impl/assigned_rows.hpp>  // nothing else shows on a host who has which rows
#include <map>
#include <tuple>

namespace ashlar {
namespace {

using impl::AssignedRows;

constexpr int num_warps = 60;

/// What all lanes of the grid have, as often as they have it: number of a row, entry of it, share of its blocks.
std::map<std::tuple<int, int, int>, int> parts_of_all(const AssignedRows& rows, int block_size) {
  std::map<std::tuple<int, int, int>, int> times;
  const int at_a_time = rows.rows_of_warp(block_size);
  for (int warp = 0; warp < num_warps; ++warp) {
    for (int first = warp * at_a_time; first < rows.count; first += num_warps * at_a_time) {
      for (int lane = 0; lane < 32; ++lane) {
        const AssignedRows::Part part = rows.part(first, lane, block_size);
        if (part.number >= 0) ++times[{part.number, part.row, part.share}];
      }
    }
  }
  return times;
}

TEST(AssignedRows, AreTakenOnceEachWithAllOfTheirBlocks) {
  for (int block_size = 1; block_size <= 7; ++block_size) {
    for (const int count : {1, 7, 59, 60, 61, 299, 301, 1000, 5000}) {
      for (const int longest : {1, 2, 5, 26}) {
        const AssignedRows rows = AssignedRows::of(count, longest, block_size, num_warps);
        const auto times = parts_of_all(rows, block_size);
        ASSERT_EQ(times.size(), std::size_t(count) * block_size * rows.lanes())
            << count << " rows of " << longest << ", b = " << block_size;
        for (const auto& [part, often] : times) {
          const auto [number, row, share] = part;
          ASSERT_EQ(often, 1) << number << ' ' << row << ' ' << share;
          ASSERT_LT(number, count);
          ASSERT_LT(row, block_size);
          ASSERT_LT(share, rows.lanes());
        }
      }
    }
  }
}

TEST(AssignedRows, HaveAsManyLanesAsTheGridHasForAllAtOnce) {
  EXPECT_EQ(AssignedRows::of(60 * 4, 26, 1, num_warps).lanes(), 8);
  EXPECT_EQ(AssignedRows::of(60 * 4 + 1, 26, 1, num_warps).lanes(), 4);
  EXPECT_EQ(AssignedRows::of(60 * 16, 26, 1, num_warps).lanes(), 2);
  EXPECT_EQ(AssignedRows::of(60 * 16 + 1, 26, 1, num_warps).lanes(), 1) << "and several rounds, if there are more";
  EXPECT_EQ(AssignedRows::of(60 * 5, 26, 3, num_warps).lanes(), 2) << "15 of 16 lanes have an entry";
  EXPECT_EQ(AssignedRows::of(60 * 32, 26, 1, num_warps).rows_of_warp(1), 32);
  EXPECT_EQ(AssignedRows::of(1, 26, 7, num_warps).lanes(), 4) << "for 7 entries";
}

TEST(AssignedRows, HaveNoMoreLanesThanBlocks) {
  EXPECT_EQ(AssignedRows::of(1, 1, 1, num_warps).lanes(), 1);
  EXPECT_EQ(AssignedRows::of(1, 3, 1, num_warps).lanes(), 2);
  EXPECT_EQ(AssignedRows::of(1, 8, 1, num_warps).lanes(), 8);
}

}  // namespace
}  // namespace ashlar
