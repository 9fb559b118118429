// Numbers as messages and summaries have them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"
#include "numbers.hpp"

namespace ashlar::testing {
namespace {

using app::counted;
using ::testing::HasSubstr;

TEST(NumberText, HasTheNounOfOneForOneAlone) {
  EXPECT_EQ(counted(1, "block"), "1 block");
  EXPECT_EQ(counted(1234567, "block"), "1,234,567 blocks");
}

TEST(NumberText, HasAllDigitsWhereTheyCount) {
  EXPECT_EQ(app::exact_number(0.999999), "0.999999");
  EXPECT_EQ(app::exact_number(1e-8), "1e-08");
  EXPECT_EQ(app::exact_number(-0.0), "0");
}

class TellsOfOne : public CommandTest {};

TEST_F(TellsOfOne, InSummariesAndMessages) {
  write("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
  const CommandResult solved = run("solve --no-probe --matrix one.mtx");
  EXPECT_EQ(solved.exit_code, 0) << solved.err;
  EXPECT_THAT(solved.out, HasSubstr(": 1 unknown, 1 block of 1 x 1 "));
  EXPECT_THAT(solved.out, HasSubstr("converged after 1 iteration: "));
  expect_refused("solve --matrix one.mtx --block-size 2", {"--block-size 2 for 1 row (2 does not divide 1)"});
  write("flat.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 2\n");
  expect_refused("solve --matrix flat.mtx", {"a matrix of 1 row and 2 columns ("});
  write("long.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  expect_refused("solve --matrix one.mtx --rhs long.mtx", {"a right-hand side of 3 entries", "has 1 row)"});
}

}  // namespace
}  // namespace ashlar::testing
