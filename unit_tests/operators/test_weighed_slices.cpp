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

/// 1000 rows of 27 blocks, but of the first 90 and the last 60, which have 54.
struct Uneven {
  std::vector<std::int32_t> begins;
  WeighedSlices slices;

  explicit Uneven(int rows_of_slice) {
    std::vector<int> blocks(1000, 54);
    for (int row = 90; row < 940; ++row) blocks[row] = 27;
    begins = row_pointers(blocks);
    slices = {begins.data(), 1000, rows_of_slice};
  }
};

TEST(WeighedSlices, AreDealtInOrderAndWhole) {
  for (const int rows_of_slice : {1, 5, 32}) {
    const Uneven uneven(rows_of_slice);
    for (const int shares : {1, 7, 132, 2000}) {
      int last = 0;
      EXPECT_EQ(uneven.slices.first_of_share(0, shares), 0);
      for (int share = 0; share <= shares; ++share) {
        const int first = uneven.slices.first_of_share(share, shares);
        EXPECT_GE(first, last);
        last = first;
      }
      EXPECT_EQ(last, uneven.slices.count()) << "none is left over";
    }
  }
}

TEST(WeighedSlices, OfAShareWeighAboutTheSame) {
  const Uneven uneven(5);
  constexpr int shares = 20, heaviest = 5 * 54;
  const std::int64_t mean = uneven.slices.weight_before(uneven.slices.count()) / shares;
  for (int share = 0; share < shares; ++share) {
    const int first = uneven.slices.first_of_share(share, shares),
              end = uneven.slices.first_of_share(share + 1, shares);
    const std::int64_t weight = uneven.slices.weight_before(end) - uneven.slices.weight_before(first);
    EXPECT_NEAR(double(weight), double(mean), heaviest) << "share " << share;
  }
  // The first rows weigh 54 instead of 27: a share has some 29 of them, and 58 of others.
  EXPECT_LT(uneven.slices.first_of_share(1, shares) * 5, 40);
  EXPECT_GE(uneven.slices.first_of_share(11, shares) * 5 - uneven.slices.first_of_share(10, shares) * 5, 50);
}

TEST(WeighedSlices, OfShortRowsAtTheEndAreCounted) {
  const std::vector<std::int32_t> begins{0, 4, 8, 8, 8};
  const WeighedSlices slices{begins.data(), 4, 3};
  EXPECT_EQ(slices.count(), 2);
  EXPECT_EQ(slices.weight_before(2), 8);
  EXPECT_EQ(slices.first_of_share(2, 2), 2);
}

}  // namespace
}  // namespace ashlar
