#include <ashlar/spmv/spmv.hpp>
#include <gtest/gtest.h>

namespace ashlar::impl {
namespace {

/// function(parts, block size, bytes of a value, whether lines are columns) for all that by_line takes.
template <class Function>
int for_all_parts(const Function& function) {
  int count = 0;
  for (const auto& [value_bytes, vector_bytes] : {std::pair{2, 8}, {4, 4}, {4, 8}, {8, 8}, {16, 16}}) {
    for (const bool by_columns : {true, false}) {
      for (int b = 1; b <= 64; ++b) {
        const LineParts line = line_parts(b, value_bytes, vector_bytes, by_columns);
        if (!line.is_served()) continue;
        ++count;
        SCOPED_TRACE(::testing::Message() << "b = " << b << ", " << value_bytes << " bytes, vectors of " << vector_bytes
                                          << ", by_columns " << by_columns);
        function(line, b, value_bytes, by_columns);
      }
    }
  }
  return count;
}

TEST(SpmvLineParts, AreTheWholeLineAndNoPartIsEmpty) {
  const int count = for_all_parts([](const LineParts& line, int b, int, bool by_columns) {
    EXPECT_GE(line.parts * line.height, b);
    EXPECT_LT((line.parts - 1) * line.height, b);
    if (!by_columns) {
      EXPECT_EQ(line.parts, 1);
    }
  });
  EXPECT_GT(count, 100);
}

TEST(SpmvLineParts, BeginWhereALoadCan) {
  for_all_parts([](const LineParts& line, int b, int value_bytes, bool) {
    EXPECT_EQ(b % line.load, 0);
    EXPECT_EQ(line.height % line.load, 0);
    if (line.in_pairs) {
      EXPECT_EQ(line.load, 1);
      EXPECT_EQ(line.height % 2, 1) << "as many pairs wherever the line begins";
    }
    EXPECT_LE(line.height, b);
    EXPECT_LE(line.load * value_bytes, 16);
  });
}

TEST(SpmvLineParts, AreFewLoadsAndFewRegisters) {
  for_all_parts([](const LineParts& line, int, int value_bytes, bool by_columns) {
    EXPECT_LE(line.loads(), by_columns ? 5 : 9);
    EXPECT_LE(line.height * value_bytes, by_columns ? 48 : 72);
    EXPECT_GE(line.in_flight, 1);
    EXPECT_LE(line.height * value_bytes * line.in_flight, 144);
  });
}

TEST(SpmvLineParts, FillGroupsWithWholeLines) {
  for_all_parts([](const LineParts& line, int b, int, bool by_columns) {
    for (const int width : {1, 8, 32, 64, 256}) {
      EXPECT_LE(line.busy_lanes(width), width);
      EXPECT_EQ(line.busy_lanes(width) % (by_columns ? line.parts : b), 0);
    }
    EXPECT_GT(line.busy_lanes(32), 16) << "most lanes would be idle";
    for (const int warp : {32, 64}) {
      for (const double lines : {0.0, 5.0, 81.0, 1e6}) EXPECT_GT(line.busy_lanes(line_width(line, lines, warp)), 0);
    }
  });
}

TEST(SpmvLineParts, OfThreeAreWholeAndOfElevenThreeAColumn) {
  EXPECT_EQ(line_parts(3, 8, 8, true).parts, 1);
  EXPECT_EQ(line_parts(11, 8, 8, true).parts, 3);
  EXPECT_EQ(line_parts(11, 8, 8, true).height, 4);
  EXPECT_EQ(line_parts(4, 8, 8, true).load, 2);
  EXPECT_EQ(line_parts(9, 4, 4, true).parts, 1);
  EXPECT_EQ(line_parts(9, 4, 4, true).loads(), 5);
  EXPECT_EQ(line_parts(11, 4, 4, true).height, 7) << "of an odd number: from 0 to 6, and from 4 to 10";
  EXPECT_FALSE(line_parts(1, 8, 8, true).is_served());
  EXPECT_FALSE(line_parts(11, 8, 8, false).is_served());
}

}  // namespace
}  // namespace ashlar::impl
