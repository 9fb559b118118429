#include <gtest/gtest.h>

#include <ashlar/bcsr/block.hpp>
#include <set>
#include <type_traits>

namespace {

using namespace ashlar;

TEST(Layout, WhereEntriesLie) {
  EXPECT_EQ(BlockColumnMajor::at(1, 2, 3), 7);
  EXPECT_EQ(BlockRowMajor::at(1, 2, 3), 5);
}

template <class Layout>
class EveryLayout : public ::testing::Test {};
using Layouts = ::testing::Types<BlockColumnMajor, BlockRowMajor>;
TYPED_TEST_SUITE(EveryLayout, Layouts);

TYPED_TEST(EveryLayout, UsesEachPlaceOnceAndTransposesIntoTheOther) {
  using Other = transposed_layout_t<TypeParam>;
  static_assert(!std::is_same_v<Other, TypeParam>);
  static_assert(std::is_same_v<transposed_layout_t<Other>, TypeParam>);
  for (const int b : {1, 2, 5, 32}) {
    std::set<int> places;
    for (int r = 0; r < b; ++r) {
      for (int c = 0; c < b; ++c) {
        places.insert(TypeParam::at(r, c, b));
        EXPECT_EQ(TypeParam::at(r, c, b), Other::at(c, r, b));
      }
    }
    EXPECT_EQ(places.size(), std::size_t(b) * b);
    EXPECT_EQ(*places.rbegin(), b * b - 1);
  }
}

}  // namespace
