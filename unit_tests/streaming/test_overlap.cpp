// How much of copies lay beside products, from spans whose overlap is known.
#include <gtest/gtest.h>

#include <ashlar/streaming/timeline.hpp>

namespace ashlar::testing {
namespace {

TEST(StreamOverlap, CountsTimeInWhichBothWereUnderWay) {
  // copies   |0 . . 3|     |5 . . . . 10|
  // products     |2 . . . . . . 8|
  const StreamOverlap overlap =
      overlap_of({{"copies", "copy 0", 0, 3}, {"products", "products with 0", 2, 8}, {"copies", "copy 1", 5, 10}});
  EXPECT_DOUBLE_EQ(overlap.copy_seconds, 8);
  EXPECT_DOUBLE_EQ(overlap.product_seconds, 6);
  EXPECT_DOUBLE_EQ(overlap.both_seconds, 4);
  EXPECT_DOUBLE_EQ(overlap.hidden_share(), 4.0 / 6);
}

TEST(StreamOverlap, CountsSpansOfOneKindOnce) {
  // Marks of one end and the next begin may touch, or cross.
  const StreamOverlap overlap = overlap_of({{"copies", "copy 0", 0, 3},
                                            {"copies", "copy 1", 2, 4},
                                            {"copies", "copy 2", 4, 6},
                                            {"products", "products with 0", 1, 5}});
  EXPECT_DOUBLE_EQ(overlap.copy_seconds, 6);
  EXPECT_DOUBLE_EQ(overlap.product_seconds, 4);
  EXPECT_DOUBLE_EQ(overlap.both_seconds, 4);
  EXPECT_DOUBLE_EQ(overlap.hidden_share(), 1);
}

TEST(StreamOverlap, IsNoneWhereOneWaitsForTheOther) {
  const StreamOverlap overlap = overlap_of({{"copies", "copy 0", 0, 1}, {"products", "products with 0", 1, 3}});
  EXPECT_DOUBLE_EQ(overlap.both_seconds, 0);
  EXPECT_DOUBLE_EQ(overlap.hidden_share(), 0);
}

TEST(StreamOverlap, LooksAtTheDeviceOnly) {
  const StreamOverlap overlap = overlap_of(
      {{"host", "the host's share", 0, 10}, {"reader 0", "read 0", 0, 10}, {"products", "products with 0", 1, 3}});
  EXPECT_DOUBLE_EQ(overlap.copy_seconds, 0);
  EXPECT_DOUBLE_EQ(overlap.product_seconds, 2);
  // Nothing was sent: nothing was to be hidden.
  EXPECT_DOUBLE_EQ(overlap.hidden_share(), 1);
  EXPECT_DOUBLE_EQ(overlap_of({}).hidden_share(), 1);
}

}  // namespace
}  // namespace ashlar::testing
