// Boxes, their order and owners, and which levels there are.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using namespace ashlar::multigrid;

/// "2^3 x 16": boxes and their cells in each direction.
std::vector<std::string> levels(int box_dim, int boxes_per_rank, int radius, int num_ranks = 1,
                                const HierarchyOptions& options = {.joins_boxes = false}) {
  std::vector<std::string> names;
  const int boxes = boxes_per_dimension(box_dim, boxes_per_rank, num_ranks);
  for (const BoxGrid& grid : make_hierarchy(boxes, box_dim, radius, num_ranks, 0, options)) {
    names.push_back(std::to_string(grid.boxes_per_dim()) + "^3 x " + std::to_string(grid.box_dim()));
  }
  return names;
}

TEST(BoxGrid, NumbersBoxesInMortonOrder) {
  const BoxGrid grid(4, 2);
  const std::vector<Index3> first{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1},
                                  {0, 1, 1}, {1, 1, 1}, {2, 0, 0}, {3, 0, 0}, {2, 1, 0}};
  for (std::size_t box = 0; box < first.size(); ++box) {
    for (int d = 0; d < 3; ++d) EXPECT_EQ(grid.place(int(box))[d], first[box][d]) << box;
  }
  for (const int n : {1, 2, 3, 5, 8}) {
    const BoxGrid any(n, 2);
    ASSERT_EQ(any.num_boxes(), n * n * n);
    for (int box = 0; box < any.num_boxes(); ++box) EXPECT_EQ(any.box_at(any.place(box)), box);
  }
  EXPECT_EQ(grid.box_at({-1, 0, 0}), -1);
  EXPECT_EQ(grid.box_at({0, 4, 0}), -1);
}

TEST(BoxGrid, AssignsRangesOfBoxesToRanks) {
  // Two ranks share a cube of 8 boxes across k.
  EXPECT_EQ(BoxGrid(2, 4, 2, 0).first_own(), 0);
  EXPECT_EQ(BoxGrid(2, 4, 2, 1).first_own(), 4);
  EXPECT_EQ(BoxGrid(2, 4, 2, 1).place(4)[2], 1);
  // A single box is rank 0's.
  EXPECT_EQ(BoxGrid(1, 8, 2, 0).num_own(), 1);
  EXPECT_EQ(BoxGrid(1, 8, 2, 1).num_own(), 0);
  for (const int ranks : {1, 3, 5, 40}) {
    for (const int together : {1, 2, 3, 7, 40}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(together) + " taken as one");
      int next = 0, owners = 0, most = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const BoxGrid grid(3, 4, ranks, rank, together);
        for (int box = next; box < next + grid.num_own(); ++box) EXPECT_EQ(grid.owner(box), rank);
        if (grid.num_own() > 0) {
          EXPECT_EQ(grid.first_own(), next);
          EXPECT_EQ(rank % together, 0);
          ++owners;
        }
        most = std::max(most, grid.num_own());
        next += grid.num_own();
      }
      EXPECT_EQ(next, 27);
      const BoxGrid grid(3, 4, ranks, 0, together);
      EXPECT_EQ(grid.num_owners(), owners);
      EXPECT_EQ(grid.most_own(), most);
      EXPECT_EQ(grid.is_shared(), owners > 1);
    }
  }
  EXPECT_EQ(BoxGrid(2, 4, 8, 6, 3).num_own(), 2) << "the last are fewer";
  EXPECT_THROW(BoxGrid(2, 4, 8, 0, 0), ArgumentError);
}

TEST(BoxGrid, KnowsWhetherItIsShared) {
  EXPECT_FALSE(BoxGrid(2, 4).is_shared());
  EXPECT_FALSE(BoxGrid(1, 4, 5, 3).is_shared());
  for (const int rank : {0, 1, 7}) EXPECT_TRUE(BoxGrid(2, 4, 2, rank).is_shared());
}

TEST(Hierarchy, BoxesPerDimension) {
  EXPECT_EQ(boxes_per_dimension(16, 8, 1), 2);
  EXPECT_EQ(boxes_per_dimension(16, 8, 2), 2);
  EXPECT_EQ(boxes_per_dimension(16, 8, 4), 3);
  EXPECT_EQ(boxes_per_dimension(16, 8, 8), 4);
  EXPECT_EQ(boxes_per_dimension(16, 8, 16), 5);
  EXPECT_EQ(boxes_per_dimension(16, 2197, 1), 12) << "13 is above 11";
  EXPECT_EQ(boxes_per_dimension(16, 1, 1), 1);
}

TEST(Hierarchy, LevelsOfTheBenchmark) {
  using ::testing::ElementsAre;
  EXPECT_THAT(levels(16, 8, 2), ElementsAre("2^3 x 16", "2^3 x 8", "1^3 x 8", "1^3 x 4", "1^3 x 2"));
  EXPECT_THAT(levels(16, 8, 1), ElementsAre("2^3 x 16", "2^3 x 8", "1^3 x 8", "1^3 x 4", "1^3 x 2", "1^3 x 1"));
  EXPECT_THAT(levels(128, 8, 2),
              ElementsAre("2^3 x 128", "2^3 x 64", "2^3 x 32", "2^3 x 16", "2^3 x 8", "1^3 x 8", "1^3 x 4", "1^3 x 2"));
  EXPECT_THAT(levels(4, 64, 2), ElementsAre("4^3 x 4", "2^3 x 4", "1^3 x 4", "1^3 x 2"));
  EXPECT_THAT(levels(20, 8, 2), ElementsAre("2^3 x 20", "2^3 x 10", "1^3 x 10", "1^3 x 5"));
  EXPECT_THAT(levels(16, 8, 2, 4), ElementsAre("3^3 x 16", "3^3 x 8", "3^3 x 4", "3^3 x 2", "1^3 x 3"));
}

/// Of levels that one rank has alone, but the finest.
TEST(Hierarchy, BoxesOfOneRankBecomeOne) {
  using ::testing::ElementsAre;
  const auto joined = [](int box_dim, int boxes, int radius, int ranks = 1, std::int64_t min_cells = 0) {
    return levels(box_dim, boxes, radius, ranks, {.min_cells_per_rank = min_cells, .joins_boxes = true});
  };
  EXPECT_THAT(joined(16, 8, 2), ElementsAre("2^3 x 16", "1^3 x 16", "1^3 x 8", "1^3 x 4", "1^3 x 2"));
  EXPECT_THAT(joined(16, 64, 1),
              ElementsAre("4^3 x 16", "1^3 x 32", "1^3 x 16", "1^3 x 8", "1^3 x 4", "1^3 x 2", "1^3 x 1"));
  EXPECT_THAT(joined(16, 4, 2, 2), ElementsAre("2^3 x 16", "2^3 x 8", "1^3 x 8", "1^3 x 4", "1^3 x 2"));
  EXPECT_THAT(joined(16, 32, 2, 2, 10000),
              ElementsAre("4^3 x 16", "4^3 x 8", "1^3 x 16", "1^3 x 8", "1^3 x 4", "1^3 x 2"));
  // With fv4 boxes of fewer than 5 cells have polynomials of their own at the boundary, with fv2 of fewer than 2; and
  // whatever lies above them stays.
  EXPECT_THAT(joined(4, 64, 2), ElementsAre("4^3 x 4", "2^3 x 4", "1^3 x 4", "1^3 x 2"));
  EXPECT_THAT(joined(16, 27, 2), ElementsAre("3^3 x 16", "3^3 x 8", "3^3 x 4", "3^3 x 2", "1^3 x 3"));
  EXPECT_THAT(joined(4, 64, 1), ElementsAre("4^3 x 4", "1^3 x 8", "1^3 x 4", "1^3 x 2", "1^3 x 1"));
  EXPECT_THAT(joined(16, 27, 1), ElementsAre("3^3 x 16", "1^3 x 24", "1^3 x 12", "1^3 x 6", "1^3 x 3"));
  EXPECT_THAT(joined(10, 8, 2), ElementsAre("2^3 x 10", "1^3 x 10", "1^3 x 5"));
  EXPECT_EQ(make_hierarchy(3, 20, 2)[1].num_boxes(), 27) << "27 boxes of 5^3 cells are the coarsest level";
}

TEST(Hierarchy, FewerRanksOnTheLastLevels) {
  const auto grids = make_hierarchy(3, 16, 2, 20, 0, {.min_cells_per_rank = 0});
  std::vector<int> ranks;
  for (const BoxGrid& grid : grids) ranks.push_back(grid.num_ranks());
  EXPECT_THAT(ranks, ::testing::ElementsAre(20, 20, 9, 3, 1));
}

/// How many ranks have boxes of each level of 64^3 cells in 64 boxes, on 8 ranks.
std::vector<int> owners(std::int64_t min_cells) {
  std::vector<int> result;
  for (const BoxGrid& grid : make_hierarchy(4, 16, 2, 8, 0, {min_cells, false})) result.push_back(grid.num_owners());
  return result;
}

TEST(Hierarchy, GivesLevelsOfFewCellsToFewerRanks) {
  using ::testing::ElementsAre;
  // 64^3 cells in 64 boxes, 32^3 in 64, 16^3 in 8, then one box of 8^3, 4^3, 2^3.
  EXPECT_THAT(owners(0), ElementsAre(8, 8, 8, 1, 1, 1));
  EXPECT_THAT(owners(512), ElementsAre(8, 8, 8, 1, 1, 1));
  EXPECT_THAT(owners(513), ElementsAre(8, 8, 4, 1, 1, 1));
  EXPECT_THAT(owners(4096), ElementsAre(8, 8, 1, 1, 1, 1));
  EXPECT_THAT(owners(4097), ElementsAre(8, 4, 1, 1, 1, 1));
  EXPECT_THAT(owners(32768), ElementsAre(8, 1, 1, 1, 1, 1));
  EXPECT_THAT(owners(std::numeric_limits<std::int64_t>::max()), ElementsAre(8, 1, 1, 1, 1, 1)) << "never the finest";
  EXPECT_THAT(message_of<ArgumentError>([] { owners(-1); }), ::testing::HasSubstr("at least -1 cells a rank"));
}

TEST(Hierarchy, RanksHaveAsManyCellsAsTheyAreToHave) {
  for (const int ranks : {2, 3, 6, 16, 40}) {
    for (const int boxes : {3, 4, 6}) {
      for (const std::int64_t least : {100, 1000, 5000, 100000}) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(boxes) + "^3 boxes, " + std::to_string(least));
        const auto plain = make_hierarchy(boxes, 16, 2, ranks, 0, {.min_cells_per_rank = 0});
        const auto grids = make_hierarchy(boxes, 16, 2, ranks, 0, {.min_cells_per_rank = least});
        ASSERT_EQ(grids.size(), plain.size());
        EXPECT_EQ(grids[0].num_owners(), plain[0].num_owners());
        for (std::size_t l = 1; l < grids.size(); ++l) {
          EXPECT_EQ(grids[l].cells_per_dim(), plain[l].cells_per_dim());
          EXPECT_LE(grids[l].num_owners(), plain[l].num_owners());
          std::vector<std::int64_t> cells(std::size_t(ranks), 0);
          const std::int64_t dim = grids[l].box_dim();
          for (int box = 0; box < grids[l].num_boxes(); ++box) {
            cells[std::size_t(grids[l].owner(box))] += dim * dim * dim;
          }
          if (!grids[l].is_shared()) continue;
          for (const std::int64_t its : cells) EXPECT_TRUE(its == 0 || its >= least) << its << " of level " << l;
        }
      }
    }
  }
}

/// Who has boxes of a level has those that become of his finer ones.
TEST(Hierarchy, CellsOfOwnersStayWhereTheyAre) {
  const auto grids = make_hierarchy(4, 16, 2, 8, 0, {.min_cells_per_rank = 513});
  for (std::size_t l = 1; l < grids.size(); ++l) {
    const BoxGrid &fine = grids[l - 1], &coarse = grids[l];
    std::vector<bool> has_coarse(8, false);
    for (int box = 0; box < coarse.num_boxes(); ++box) has_coarse[std::size_t(coarse.owner(box))] = true;
    for (int box = 0; box < fine.num_boxes(); ++box) {
      const int owner = fine.owner(box);
      if (!has_coarse[std::size_t(owner)]) continue;
      Index3 place = fine.place(box);
      for (int d = 0; d < 3; ++d) place[d] = place[d] * coarse.boxes_per_dim() / fine.boxes_per_dim();
      EXPECT_EQ(coarse.owner(coarse.box_at(place)), owner) << "box " << box << " of level " << l - 1;
    }
  }
}

/// Its solver works on one rank.
TEST(Hierarchy, TheCoarsestLevelIsOneBox) {
  for (const int radius : {1, 2}) {
    for (int box_dim = radius; box_dim <= 40; ++box_dim) {
      for (const int ranks : {1, 3, 8, 20}) {
        for (const int boxes_per_rank : {1, 8, 27, 64}) {
          int boxes = 0;
          try {
            boxes = boxes_per_dimension(box_dim, boxes_per_rank, ranks);
            make_hierarchy(boxes, box_dim, radius, ranks, 0, {.min_cells_per_rank = 0});
          } catch (const ArgumentError&) {
            continue;  // there is none
          }
          const auto grids = make_hierarchy(boxes, box_dim, radius, ranks, 0, {.min_cells_per_rank = 0});
          EXPECT_EQ(grids.back().num_boxes(), 1) << boxes << "^3 boxes of " << box_dim << "^3, radius " << radius;
          EXPECT_FALSE(grids.back().is_shared());
          for (std::size_t l = 0; l + 1 < grids.size(); ++l) {
            EXPECT_NO_THROW(make_transfer_plan(grids[l], grids[l + 1]))
                << boxes << "^3 boxes of " << box_dim << "^3, radius " << radius << ", level " << l;
          }
        }
      }
    }
  }
  // Of numbers that boxes_per_dimension() does not give there may be more.
  EXPECT_EQ(make_hierarchy(3, 10, 2, 4, 0, {.min_cells_per_rank = 0}).back().num_boxes(), 27);
  EXPECT_TRUE(make_hierarchy(3, 10, 2, 4, 0, {.min_cells_per_rank = 0}).back().is_shared());
  EXPECT_FALSE(make_hierarchy(3, 10, 2, 4, 0, {.min_cells_per_rank = 3000}).back().is_shared()) << "3375 cells";
}

TEST(Hierarchy, RefusesWhatCannotBeCoarsened) {
  EXPECT_THROW(make_hierarchy(2, 1, 1), ArgumentError);
  EXPECT_THROW(make_hierarchy(2, 7, 1), ArgumentError);
  EXPECT_THROW(make_hierarchy(2, 1, 2), ArgumentError);
  EXPECT_THROW(make_hierarchy(0, 8, 1), ArgumentError);
  EXPECT_THROW(boxes_per_dimension(13, 1, 1), ArgumentError);
  EXPECT_THROW(boxes_per_dimension(16, 0, 1), ArgumentError);
  EXPECT_THROW(boxes_per_dimension(16, std::int64_t(1) << 60, 16), ArgumentError);
  EXPECT_NO_THROW(make_hierarchy(1, 7, 2));
}

}  // namespace
}  // namespace ashlar::testing
