#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/persistent_cg/impl/assigned_rows.hpp>  // nothing else shows on a host which rows a kernel leaves out
#include <cstdint>
#include <vector>

namespace ashlar {
namespace {

using impl::InnerSlices;

/// Of rows of which these have blocks in others' columns: the inner slices.
InnerSlices inner_slices(const std::vector<bool>& has_others, int rows_of_slice) {
  std::vector<std::int32_t> begin{0};
  for (const bool has : has_others) begin.push_back(begin.back() + (has ? 3 : 0));
  return InnerSlices::of(begin.data(), std::int64_t(has_others.size()), rows_of_slice);
}

TEST(InnerSlices, HaveNoRowWithBlocksInOthersColumnsAndEndBesideOne) {
  for (const int num_rows : {1, 2, 63, 64, 100}) {
    for (const int rows_of_slice : {1, 5, 32}) {
      for (int first = 0; first <= num_rows; ++first) {
        for (int last = first; last <= num_rows; ++last) {
          std::vector<bool> has_others(std::size_t(num_rows), true);  // but for rows first to last - 1
          for (int row = first; row < last; ++row) has_others[std::size_t(row)] = false;
          const InnerSlices inner = inner_slices(has_others, rows_of_slice);
          const int slices = (num_rows + rows_of_slice - 1) / rows_of_slice;
          const bool is_around_the_middle = first <= num_rows / 2 && num_rows / 2 < last;
          for (int slice = 0; slice < slices; ++slice) {
            const int end = std::min((slice + 1) * rows_of_slice, num_rows);
            const bool has_none = first <= slice * rows_of_slice && end <= last;
            if (is_around_the_middle) {
              ASSERT_EQ(inner.has(slice), has_none) << slice << " of rows " << first << " to " << last;
            } else {
              ASSERT_TRUE(has_none || !inner.has(slice)) << slice << " of rows " << first << " to " << last;
            }
          }
        }
      }
    }
  }
}

TEST(InnerSlices, AreAllWhereNoRowHasSome) {
  const InnerSlices inner = inner_slices(std::vector<bool>(70, false), 32);
  EXPECT_EQ(inner.begin, 0);
  EXPECT_EQ(inner.end, 3);
}

}  // namespace
}  // namespace ashlar
