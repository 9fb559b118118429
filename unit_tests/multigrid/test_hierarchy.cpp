// Boxes, their order and owners, and which levels there are.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/multigrid/hierarchy.hpp>
#include <string>
#include <vector>

namespace ashlar::testing {
namespace {

using namespace ashlar::multigrid;

/// "2^3 x 16": boxes and their cells in each direction.
std::vector<std::string> levels(int box_dim, int boxes_per_rank, int radius, int num_ranks = 1) {
  std::vector<std::string> names;
  const int boxes = boxes_per_dimension(box_dim, boxes_per_rank, num_ranks);
  for (const BoxGrid& grid : make_hierarchy(boxes, box_dim, radius, num_ranks)) {
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

TEST(BoxGrid, DealsRangesOfBoxesToRanks) {
  // Two ranks share a cube of 8 boxes across k.
  EXPECT_EQ(BoxGrid(2, 4, 2, 0).first_own(), 0);
  EXPECT_EQ(BoxGrid(2, 4, 2, 1).first_own(), 4);
  EXPECT_EQ(BoxGrid(2, 4, 2, 1).place(4)[2], 1);
  // A single box is rank 0's.
  EXPECT_EQ(BoxGrid(1, 8, 2, 0).num_own(), 1);
  EXPECT_EQ(BoxGrid(1, 8, 2, 1).num_own(), 0);
  for (const int ranks : {1, 3, 5, 40}) {
    int next = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const BoxGrid grid(3, 4, ranks, rank);
      for (int box = next; box < next + grid.num_own(); ++box) EXPECT_EQ(grid.owner(box), rank);
      if (grid.num_own() > 0) {
        EXPECT_EQ(grid.first_own(), next);
      }
      next += grid.num_own();
    }
    EXPECT_EQ(next, 27);
  }
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
  EXPECT_THAT(levels(16, 8, 2, 4), ElementsAre("3^3 x 16", "3^3 x 8", "3^3 x 4", "3^3 x 2", "1^3 x 3"));
}

TEST(Hierarchy, FewerRanksOnTheLastLevels) {
  const auto grids = make_hierarchy(3, 16, 2, 20);
  std::vector<int> ranks;
  for (const BoxGrid& grid : grids) ranks.push_back(grid.num_ranks());
  EXPECT_THAT(ranks, ::testing::ElementsAre(20, 20, 9, 3, 1));
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
            make_hierarchy(boxes, box_dim, radius, ranks);
          } catch (const ArgumentError&) {
            continue;  // there is none
          }
          const BoxGrid last = make_hierarchy(boxes, box_dim, radius, ranks).back();
          EXPECT_EQ(last.num_boxes(), 1) << boxes << "^3 boxes of " << box_dim << "^3, radius " << radius;
          EXPECT_FALSE(last.is_shared());
        }
      }
    }
  }
  // Of numbers that boxes_per_dimension() does not give there may be more.
  EXPECT_EQ(make_hierarchy(3, 10, 2, 4).back().num_boxes(), 27);
  EXPECT_TRUE(make_hierarchy(3, 10, 2, 4).back().is_shared());
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
