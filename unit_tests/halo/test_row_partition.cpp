#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<std::int64_t>;
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

TEST(RowPartition, OfOffsets) {
  const RowPartition partition({0, 3, 3, 7});
  EXPECT_EQ(partition.num_parts(), 3);
  EXPECT_EQ(partition.num_rows(), 7);
  EXPECT_EQ(partition.begin(2), 3);
  EXPECT_EQ(partition.end(2), 7);
  EXPECT_EQ(partition.size(0), 3);
  EXPECT_EQ(partition.size(1), 0);
  EXPECT_EQ(partition, RowPartition({0, 3, 3, 7}));
  EXPECT_FALSE(partition == RowPartition({0, 3, 4, 7}));
}

TEST(RowPartition, RefusesOffsetsThatAreNone) {
  EXPECT_THAT(message_of<ArgumentError>([] { RowPartition(Numbers{}); }), HasSubstr("no offsets"));
  EXPECT_THAT(message_of<ArgumentError>([] { RowPartition({1, 3}); }), HasSubstr("begin with 1"));
  EXPECT_THAT(message_of<ArgumentError>([] {
                RowPartition({0, 5, 4, 3});
              }),
              HasSubstr("offset 2 is 4, and the one before 5"));
}

TEST(RowPartition, OwnerIsThePartThatHasTheRow) {
  // Empty parts first, last, and two in the middle.
  const RowPartition partition({0, 0, 2, 2, 2, 5, 5});
  const int owners[] = {1, 1, 4, 4, 4};
  for (int row = 0; row < 5; ++row) EXPECT_EQ(partition.owner(row), owners[row]) << row;
  EXPECT_THAT(message_of<ArgumentError>([&] { partition.owner(5); }), HasSubstr("block row 5 (there are 5)"));
  EXPECT_THROW(partition.owner(-1), ArgumentError);
}

TEST(RowPartition, Even) {
  EXPECT_THAT(RowPartition::even(6, 3).offsets(), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(RowPartition::even(7, 3).offsets(), ElementsAre(0, 2, 4, 7));
  EXPECT_THAT(RowPartition::even(0, 2).offsets(), ElementsAre(0, 0, 0));
  EXPECT_THAT(RowPartition::even(2, 4).offsets(), ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(RowPartition::even(huge, 2).offsets(), ElementsAre(0, huge / 2, huge));
  EXPECT_THROW(RowPartition::even(-1, 2), ArgumentError);
  EXPECT_THROW(RowPartition::even(3, 0), ArgumentError);
}

TEST(RowPartition, CutsAreNearestToTheExactPlaces) {
  // Sums 0 1 2 3 13 14 15; exact places 5 and 10: 3 is nearer to 5 than 13, 13 nearer to 10 than 3.
  EXPECT_THAT(RowPartition::by_weights(Numbers{1, 1, 1, 10, 1, 1}, 3).offsets(), ElementsAre(0, 3, 4, 6));
  // Exact place 4.5: sums 4 and 5 are as near.
  EXPECT_THAT(RowPartition::by_weights(Numbers{4, 1, 4}, 2).offsets(), ElementsAre(0, 1, 3));
  // 14/3 = 4.67 lies nearer to 5, 9.33 nearer to 9.
  EXPECT_THAT(RowPartition::by_weights(Numbers{4, 1, 4, 1, 4}, 3).offsets(), ElementsAre(0, 2, 3, 5));
  // Exact at 3.
  EXPECT_THAT(RowPartition::by_weights(Numbers{1, 2, 3}, 2).offsets(), ElementsAre(0, 2, 3));
}

TEST(RowPartition, MorePartsThanRowsLeavesSomeEmpty) {
  const RowPartition partition = RowPartition::by_weights(Numbers{5, 5}, 5);
  EXPECT_EQ(partition.num_parts(), 5);
  // Exact places 2, 4, 6, 8.
  EXPECT_THAT(partition.offsets(), ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST(RowPartition, WithoutWeightsAsEven) {
  EXPECT_EQ(RowPartition::by_weights(Numbers(7, 0), 3), RowPartition::even(7, 3));
  EXPECT_EQ(RowPartition::by_weights(Numbers{}, 3), RowPartition::even(0, 3));
  EXPECT_EQ(RowPartition::by_row_ptr(Numbers{}, 2), RowPartition::even(0, 2));
}

TEST(RowPartition, HugeWeightsDoNotOverflow) {
  EXPECT_THAT(RowPartition::by_weights(Numbers{huge / 4, huge / 4, huge / 4, huge / 4}, 4).offsets(),
              ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(RowPartition::by_weights(Numbers{0, huge, 0}, 3).offsets(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(message_of<ArgumentError>([] {
                RowPartition::by_weights(Numbers{huge, 1}, 2);
              }),
              HasSubstr("with block row 1 the weights are beyond 64 bits"));
}

TEST(RowPartition, RefusesNegativeWeightsByRow) {
  EXPECT_THAT(message_of<ArgumentError>([] {
                RowPartition::by_weights(Numbers{1, 2, -3}, 2);
              }),
              HasSubstr("block row 2 has weight -3"));
  EXPECT_THAT(message_of<ArgumentError>([] {
                RowPartition::by_row_ptr(Numbers{0, 4, 2}, 2);
              }),
              HasSubstr("block row 1 ends at 2 and begins at 4"));
  EXPECT_THROW(RowPartition::by_weights(Numbers{1}, 0), ArgumentError);
  EXPECT_THROW(RowPartition::by_row_ptr(Numbers{-1, 2}, 1), ArgumentError);
}

TEST(RowPartition, RowPointersMayBeginAnywhere) {
  EXPECT_EQ(RowPartition::by_row_ptr(Numbers{100, 101, 102, 103, 113, 114, 115}, 3),
            RowPartition::by_weights(Numbers{1, 1, 1, 10, 1, 1}, 3));
}

TEST(RowPartition, NoOtherCutIsNearer) {
  std::mt19937 random(7);
  for (int repeat = 0; repeat < 200; ++repeat) {
    Numbers weights(random() % 40), sums{0};
    for (auto& weight : weights) weight = random() % 3 == 0 ? 0 : random() % 20;
    for (const auto weight : weights) sums.push_back(sums.back() + weight);
    const int num_parts = 1 + static_cast<int>(random() % 12);
    const RowPartition partition = RowPartition::by_weights(weights, num_parts);
    ASSERT_EQ(partition.num_parts(), num_parts);
    ASSERT_EQ(partition.num_rows(), static_cast<std::int64_t>(weights.size()));
    if (sums.back() == 0) continue;
    for (int part = 1; part < num_parts; ++part) {
      // num_parts times the distance from the exact place.
      const auto distance = [&](std::int64_t sum) { return std::abs(sum * num_parts - sums.back() * part); };
      for (const std::int64_t sum : sums) {
        ASSERT_LE(distance(sums[static_cast<std::size_t>(partition.begin(part))]), distance(sum));
      }
    }
  }
}

using Shares = std::vector<double>;

TEST(RowPartition, SharesAreFollowed) {
  const Numbers alike{0, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THAT(RowPartition::by_shares(alike, Shares{3, 1}).offsets(), ElementsAre(0, 6, 8));
  EXPECT_THAT(RowPartition::by_shares(alike, Shares{0.25, 0.5, 0.25}).offsets(), ElementsAre(0, 2, 6, 8));
  // Of 20 in all, the exact place is 5: sums 0 1 2 12 20.
  EXPECT_THAT(RowPartition::by_shares(Numbers{100, 101, 102, 112, 120}, Shares{1, 3}).offsets(), ElementsAre(0, 2, 4));
  // 7.5, between 2 and 12.
  EXPECT_THAT(RowPartition::by_shares(Numbers{0, 1, 2, 12, 20}, Shares{3, 5}).offsets(), ElementsAre(0, 3, 4));
}

TEST(RowPartition, EqualSharesAreEqualParts) {
  std::mt19937 random(11);
  for (int repeat = 0; repeat < 200; ++repeat) {
    Numbers sums{0};
    for (int rows = static_cast<int>(random() % 40); rows > 0; --rows) sums.push_back(sums.back() + random() % 20);
    // Whose sums have no rounding.
    const int num_parts = 1 << random() % 4;
    if (sums.back() == 0) continue;
    ASSERT_EQ(RowPartition::by_shares(sums, Shares(static_cast<std::size_t>(num_parts), 5.0)),
              RowPartition::by_row_ptr(sums, num_parts));
  }
}

TEST(RowPartition, PartsWithoutShareAreEmpty) {
  const Numbers alike{0, 1, 2, 3, 4};
  EXPECT_THAT(RowPartition::by_shares(alike, Shares{0, 1, 0, 3, 0, 0}).offsets(), ElementsAre(0, 0, 1, 1, 4, 4, 4));
  // Rows without weight at either end have somebody, too; so does a part after which the sums round.
  const Numbers ends{0, 0, 2, 4, 4, 4};
  EXPECT_THAT(RowPartition::by_shares(ends, Shares{0, 1, 1, 0}).offsets(), ElementsAre(0, 0, 2, 5, 5));
  EXPECT_THAT(RowPartition::by_shares(alike, Shares{0.1, 0.2, 0.7, 0}).offsets(), ElementsAre(0, 0, 1, 4, 4));
}

TEST(RowPartition, RowsWithoutWeightFollowShares) {
  EXPECT_THAT(RowPartition::by_shares(Numbers(9, 7), Shares{1, 3}).offsets(), ElementsAre(0, 2, 8));
  EXPECT_THAT(RowPartition::by_shares(Numbers{}, Shares{1, 3}).offsets(), ElementsAre(0, 0, 0));
  EXPECT_THAT(RowPartition::by_shares(Numbers{0}, Shares{0, 3}).offsets(), ElementsAre(0, 0, 0));
}

TEST(RowPartition, OneShareIsAll) {
  EXPECT_THAT(RowPartition::by_shares(Numbers{0, 4, 4, 5}, Shares{1e-300}).offsets(), ElementsAre(0, 3));
}

TEST(RowPartition, SharesOfHugeWeightsDoNotOverflow) {
  EXPECT_THAT(RowPartition::by_shares(Numbers{0, huge / 4, huge / 2, huge}, Shares{1, 1, 2}).offsets(),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(RowPartition::by_shares(Numbers{0, huge}, Shares{1e300, 1e-300, 0}).offsets(), ElementsAre(0, 1, 1, 1));
}

TEST(RowPartition, RefusesSharesThatAreNone) {
  const auto refusal = [](const Shares& shares) {
    return message_of<ArgumentError>([&] { RowPartition::by_shares(Numbers{0, 1, 2}, shares); });
  };
  EXPECT_THAT(refusal({}), HasSubstr("0 shares, none of them positive"));
  EXPECT_THAT(refusal({0, 0}), HasSubstr("2 shares, none of them positive"));
  EXPECT_THAT(refusal({1, -2}), HasSubstr("part 1 has share -2"));
  EXPECT_THAT(refusal({std::nan(""), 1}), HasSubstr("part 0 has share nan"));
  EXPECT_THAT(refusal({1, double(huge) * 1e300}), HasSubstr("part 1 has share inf"));
  EXPECT_THROW(RowPartition::by_shares(Numbers{3, 2}, Shares{1}), ArgumentError);
}

}  // namespace
}  // namespace ashlar::testing
