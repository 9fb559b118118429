#include <gtest/gtest.h>

#include <ashlar/base/text.hpp>

namespace ashlar::testing {
namespace {

TEST(CountText, HasTheNounOfOneForOneAlone) {
  EXPECT_EQ(count_text(1, "rank"), "1 rank");
  EXPECT_EQ(count_text(0, "rank"), "0 ranks");
  EXPECT_EQ(count_text(1234, "block row"), "1234 block rows");
  EXPECT_EQ(count_text(1, "entry"), "1 entry");
  EXPECT_EQ(count_text(2, "entry"), "2 entries");
  EXPECT_EQ(count_text(1, "box"), "1 box");
  EXPECT_EQ(count_text(8, "box"), "8 boxes");
}

TEST(CountText, HasTheNounAlone) {
  EXPECT_EQ(noun_for(1, "thread"), "thread");
  EXPECT_EQ(noun_for(96, "thread"), "threads");
}

}  // namespace
}  // namespace ashlar::testing
