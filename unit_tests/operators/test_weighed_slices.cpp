#include <gtest/gtest.h>

#include <ashlar/operators/impl/weighed_slices.hpp>  // nothing else shows on a host who has which slices
#include <cstdint>
#include <vector>

namespace ashlar {
namespace {

using impl::WeighedSlices;

/// Row pointers of rows with so many blocks.
std::vector<std::int32_t> row_pointers(const std::vector<int>& blocks) {
  std::vector<std::int32_t> result{0};
  for (const int count : blocks) result.push_back(result.back() + count);
  return result;
}

/// 1000 rows of 27 blocks, of which the first 90 and the last 60 have 9 in others' columns.
struct Slab {
  std::vector<std::int32_t> own, others;
  WeighedSlices slices;

  explicit Slab(int rows_of_slice) {
    std::vector<int> of_own(1000, 27), of_others(1000, 0);
    for (int row = 0; row < 1000; ++row) {
      if (row >= 90 && row < 940) continue;
      of_own[row] = 18;
      of_others[row] = 9;
    }
    own = row_pointers(of_own);
    others = row_pointers(of_others);
    slices = {own.data(), others.data(), 1000, rows_of_slice, 3};
  }
};

TEST(WeighedSlices, AreDealtInOrderAndWhole) {
  for (const int rows_of_slice : {1, 5, 32}) {
    const Slab slab(rows_of_slice);
    for (const int shares : {1, 7, 132, 2000}) {
      int last = 0;
      EXPECT_EQ(slab.slices.first_of_share(0, shares), 0);
      for (int share = 0; share <= shares; ++share) {
        const int first = slab.slices.first_of_share(share, shares);
        EXPECT_GE(first, last);
        last = first;
      }
      EXPECT_EQ(last, slab.slices.count()) << "none is left over";
    }
  }
}

TEST(WeighedSlices, OfAShareWeighAboutTheSame) {
  const Slab slab(5);
  constexpr int shares = 20, heaviest = 5 * (18 + 3 * 9);
  const std::int64_t mean = slab.slices.weight_before(slab.slices.count()) / shares;
  for (int share = 0; share < shares; ++share) {
    const int first = slab.slices.first_of_share(share, shares), end = slab.slices.first_of_share(share + 1, shares);
    const std::int64_t weight = slab.slices.weight_before(end) - slab.slices.weight_before(first);
    EXPECT_NEAR(double(weight), double(mean), heaviest) << "share " << share;
  }
  // Rows with blocks in others' columns weigh 45 instead of 27.
  EXPECT_LT(slab.slices.first_of_share(1, shares) * 5, 40);
  EXPECT_GE(slab.slices.first_of_share(11, shares) * 5 - slab.slices.first_of_share(10, shares) * 5, 50);
}

TEST(WeighedSlices, OfShortRowsAtTheEndAreCounted) {
  const std::vector<std::int32_t> own{0, 4, 8, 8, 8}, others{0, 0, 0, 0, 0};
  const WeighedSlices slices{own.data(), others.data(), 4, 3, 3};
  EXPECT_EQ(slices.count(), 2);
  EXPECT_EQ(slices.weight_before(2), 8);
  EXPECT_EQ(slices.first_of_share(2, 2), 2);
}

}  // namespace
}  // namespace ashlar
