#include <gtest/gtest.h>

#include <ashlar/base/bytes.hpp>

namespace ashlar::testing {
namespace {

constexpr std::uint64_t largest = ByteCount::largest;

TEST(ByteCount, AddsAndMultiplies) {
  EXPECT_EQ((ByteCount{3} * ByteCount{5} + ByteCount{2}).count, 17u);
  EXPECT_EQ((ByteCount{largest} * ByteCount{0}).count, 0u);
  EXPECT_EQ((ByteCount{0} * ByteCount{largest}).count, 0u);
  EXPECT_EQ((ByteCount{largest / 2} + ByteCount{largest / 2 + 1}).count, largest);
}

TEST(ByteCount, StaysAtTheLargest) {
  EXPECT_EQ((ByteCount{largest} + ByteCount{1}).count, largest);
  EXPECT_EQ((ByteCount{largest / 2 + 1} + ByteCount{largest / 2 + 1}).count, largest);
  EXPECT_EQ((ByteCount{std::uint64_t(1) << 32} * ByteCount{std::uint64_t(1) << 32}).count, largest);
  EXPECT_EQ((ByteCount{largest / 3 + 1} * ByteCount{3}).count, largest);
  EXPECT_EQ((ByteCount{largest / 3} * ByteCount{3}).count, largest / 3 * 3);
}

}  // namespace
}  // namespace ashlar::testing
