// Ghost cells by prebuilt lists: of one rank on the device, of several by carrying out their lists on the host.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "ghost_numbers.hpp"
#include "levels.hpp"

namespace ashlar::testing {
namespace {

TEST(GhostFill, EveryGhostCellOfEveryShape) {
  const Exec exec;
  for (const auto& [boxes, dim] : {std::pair{1, 2}, {2, 4}, {3, 2}, {2, 24}, {16, 2}}) {
    const Level<Exec> level = one_level(boxes, dim);
    for (const GhostShape shape : shapes) {
      SCOPED_TRACE(std::to_string(boxes) + "^3 boxes of " + std::to_string(dim) + "^3, shape " +
                   std::to_string(int(shape)));
      const int all = level.grid.cells_per_dim();
      HostVector(level, level.u).fill([&](int i, int j, int k) { return number(all, i, j, k); }, untouched);
      GhostFill<Exec>(exec, level.layout, make_ghost_plan(level.grid, 2, shape)).exchange(exec, level.u);
      exec.fence();
      HostVector found(level, level.u);
      int wrong = 0;
      for (int box = 0; box < level.num_boxes(); ++box) {
        for_each_ghost(dim, 2, [&](int i, int j, int k) {
          const double wanted = expected(level.grid, shape, box, i, j, k);
          wrong += found.in_box(box, i, j, k) != (wanted == beyond ? untouched : wanted);
        });
      }
      EXPECT_EQ(wrong, 0);
    }
  }
}

/// Carries out the lists of all ranks: pack, messages, local, unpack.
void exchange_on_host(const std::vector<GhostPlan>& plans, const BoxLayout& layout,
                      std::vector<std::vector<double>>& x) {
  const std::size_t ranks = plans.size();
  std::vector<std::vector<double>> out(ranks), in(ranks);
  const auto for_cells = [](const GhostCopy& copy, const auto& visit) {
    std::int64_t at = copy.buffer;
    for (int k = 0; k < copy.size[2]; ++k) {
      for (int j = 0; j < copy.size[1]; ++j) {
        for (int i = 0; i < copy.size[0]; ++i) visit(i, j, k, std::size_t(at++));
      }
    }
  };
  const auto from = [&](const GhostCopy& c, int i, int j, int k) {
    return std::size_t(layout.at(c.from_box, c.from[0] + i, c.from[1] + j, c.from[2] + k));
  };
  const auto to = [&](const GhostCopy& c, int i, int j, int k) {
    return std::size_t(layout.at(c.to_box, c.to[0] + i, c.to[1] + j, c.to[2] + k));
  };
  for (std::size_t r = 0; r < ranks; ++r) {
    out[r].resize(std::size_t(plans[r].num_sent()));
    in[r].resize(std::size_t(plans[r].num_received()));
    for (const GhostCopy& c : plans[r].pack) {
      for_cells(c, [&](int i, int j, int k, std::size_t at) { out[r].at(at) = x[r].at(from(c, i, j, k)); });
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const GhostMessage& sent : plans[r].to) {
      for (const GhostMessage& received : plans[std::size_t(sent.rank)].from) {
        if (received.rank != int(r)) continue;
        ASSERT_EQ(received.count, sent.count);
        std::copy_n(out[r].begin() + sent.begin, sent.count, in[std::size_t(sent.rank)].begin() + received.begin);
      }
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const GhostCopy& c : plans[r].local) {
      for_cells(c, [&](int i, int j, int k, std::size_t) { x[r].at(to(c, i, j, k)) = x[r].at(from(c, i, j, k)); });
    }
    for (const GhostCopy& c : plans[r].unpack) {
      for_cells(c, [&](int i, int j, int k, std::size_t at) { x[r].at(to(c, i, j, k)) = in[r].at(at); });
    }
  }
}

/// What lies beyond the domain and beside another box is what that box has there. Here each cell beyond has a number.
void expect_copies_beyond_the_domain(const std::vector<BoxGrid>& grids, const std::vector<GhostPlan>& plans,
                                     const BoxLayout& layout, GhostShape shape, std::vector<std::vector<double>>& x) {
  const int dim = layout.dim, all = grids[0].cells_per_dim() + 2 * layout.ghosts;
  // visit(rank, the cell's place, its number, whether it is beside another box) for all of the shape beyond the domain.
  const auto for_beyond = [&](const auto& visit) {
    for (std::size_t rank = 0; rank < grids.size(); ++rank) {
      const BoxGrid& grid = grids[rank];
      for (int own = 0; own < grid.num_own(); ++own) {
        const Index3& place = grid.place(grid.first_own() + own);
        for_each_ghost(dim, layout.ghosts, [&](int i, int j, int k) {
          if (expected(grid, shape, grid.first_own() + own, i, j, k) != beyond) return;
          const Index3 cell{i, j, k};
          Index3 at;
          bool is_beside = false;
          for (int d = 0; d < 3; ++d) {
            const int global = place[d] * dim + cell[d];
            at[d] = global + layout.ghosts;
            is_beside = is_beside || ((cell[d] < 0 || cell[d] >= dim) && global >= 0 && global < grid.cells_per_dim());
          }
          visit(rank, std::size_t(layout.at(own, i, j, k)), number(all, at[0], at[1], at[2]), is_beside);
        });
      }
    }
  };
  std::vector<std::vector<int>> times_beside, times_own;  // that a region has the cell
  for (std::size_t rank = 0; rank < grids.size(); ++rank) {
    const auto count = [&](const std::vector<BoundaryRegion>& regions) {
      std::vector<int> times(x[rank].size());
      for (const BoundaryRegion& region : regions) {
        for (int k = 0; k < region.size[2]; ++k) {
          for (int j = 0; j < region.size[1]; ++j) {
            for (int i = 0; i < region.size[0]; ++i) {
              const auto& begin = region.begin;
              ++times[std::size_t(layout.at(region.box, begin[0] + i, begin[1] + j, begin[2] + k))];
            }
          }
        }
      }
      return times;
    };
    times_beside.push_back(count(plans[rank].beside_boxes));
    times_own.push_back(count(plans[rank].boundary));
  }
  for_beyond(
      [&](std::size_t rank, std::size_t at, double its, bool is_beside) { x[rank][at] = is_beside ? untouched : its; });
  ASSERT_NO_FATAL_FAILURE(exchange_on_host(plans, layout, x));
  int wrong = 0;
  for_beyond([&](std::size_t rank, std::size_t at, double its, bool is_beside) {
    wrong += x[rank][at] != its || times_beside[rank][at] != int(is_beside) || times_own[rank][at] != int(!is_beside);
  });
  EXPECT_EQ(wrong, 0) << grids[0].boxes_per_dim() << "^3 boxes on " << grids.size() << " ranks, shape " << int(shape);
}

TEST(GhostPlan, PlansOfAllRanksFitTogether) {
  struct Case {
    int boxes, ranks, dim;
  };
  const int depth = 2;
  // Of boxes of 24^3 cells pieces are cut off along one direction, of 36^3 along two: they begin within a message.
  for (const auto& [boxes, ranks, dim] :
       {Case{2, 2, 4}, {2, 3, 4}, {3, 4, 4}, {4, 7, 4}, {1, 2, 4}, {2, 3, 24}, {2, 2, 36}}) {
    const BoxLayout layout{dim, depth};
    for (const GhostShape shape : shapes) {
      std::vector<GhostPlan> plans;
      std::vector<std::vector<double>> x;
      std::vector<BoxGrid> grids;
      for (int rank = 0; rank < ranks; ++rank) {
        const BoxGrid& grid = grids.emplace_back(boxes, dim, ranks, rank);
        plans.push_back(make_ghost_plan(grid, depth, shape));
        x.emplace_back(std::size_t(layout.volume() * grid.num_own()), untouched);
        for (int own = 0; own < grid.num_own(); ++own) {
          const Index3& place = grid.place(grid.first_own() + own);
          for (int k = 0; k < dim; ++k) {
            for (int j = 0; j < dim; ++j) {
              for (int i = 0; i < dim; ++i) {
                x.back()[std::size_t(layout.at(own, i, j, k))] =
                    number(boxes * dim, place[0] * dim + i, place[1] * dim + j, place[2] * dim + k);
              }
            }
          }
        }
      }
      ASSERT_NO_FATAL_FAILURE(exchange_on_host(plans, layout, x));
      int wrong = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const BoxGrid& grid = grids[std::size_t(rank)];
        for (int own = 0; own < grid.num_own(); ++own) {
          for_each_ghost(dim, depth, [&](int i, int j, int k) {
            const double wanted = expected(grid, shape, grid.first_own() + own, i, j, k);
            wrong +=
                x[std::size_t(rank)][std::size_t(layout.at(own, i, j, k))] != (wanted == beyond ? untouched : wanted);
          });
        }
        EXPECT_LT(plans[std::size_t(rank)].to.size(), std::size_t(ranks)) << "one message a rank";
      }
      EXPECT_EQ(wrong, 0) << boxes << "^3 boxes of " << dim << "^3 on " << ranks << " ranks, shape " << int(shape);
      expect_copies_beyond_the_domain(grids, plans, layout, shape, x);
    }
  }
}

/// As many as the reference, and what lies beyond the domain: of each of four boxes two edges, and three corners.
TEST(GhostPlan, SendsWhatTheReferenceDoesAndWhatLiesBeyond) {
  const auto sent = [](int dim, int depth, GhostShape shape) {
    const GhostPlan plan = make_ghost_plan(BoxGrid(2, dim, 2, 1), depth, shape);
    EXPECT_EQ(plan.to.size(), 1U);
    EXPECT_EQ(plan.num_sent(), plan.num_received());
    return plan.num_sent();
  };
  EXPECT_EQ(sent(32, 2, GhostShape::star), 8192);
  EXPECT_EQ(sent(32, 2, GhostShape::no_corners), 9216 + 4 * 2 * (2 * 2 * 32));
  EXPECT_EQ(sent(32, 2, GhostShape::box), 9248 + 4 * (2 * (2 * 2 * 32) + 3 * 8));
  EXPECT_EQ(sent(8, 1, GhostShape::star), 256);
  EXPECT_EQ(sent(8, 1, GhostShape::no_corners), 320 + 4 * 2 * 8);
  EXPECT_EQ(sent(8, 1, GhostShape::box), 324 + 4 * (2 * 8 + 3));
}

TEST(GhostPlan, RefusesBoxesSmallerThanTheGhostCells) {
  EXPECT_THROW(make_ghost_plan(BoxGrid(2, 1), 2, GhostShape::star), ArgumentError);
}

TEST(TransferPlan, SendsOnlyWhereTheOwnerChanges) {
  // From 8 boxes of 8^3 on two ranks to one of 8^3 on the first.
  const TransferPlan second = make_transfer_plan(BoxGrid(2, 8, 2, 1), BoxGrid(1, 8, 2, 1));
  ASSERT_EQ(second.to.size(), 1U);
  EXPECT_EQ(second.to[0].rank, 0);
  EXPECT_EQ(second.to[0].count, 256);
  EXPECT_TRUE(second.local.empty() && second.from.empty());
  const TransferPlan first = make_transfer_plan(BoxGrid(2, 8, 2, 0), BoxGrid(1, 8, 2, 0));
  ASSERT_EQ(first.from.size(), 1U);
  EXPECT_EQ(first.from[0].count, 256);
  EXPECT_EQ(first.local.size(), 4U);
  // A finer pair is local.
  const TransferPlan fine = make_transfer_plan(BoxGrid(2, 16, 2, 1), BoxGrid(2, 8, 2, 1));
  EXPECT_TRUE(fine.to.empty() && fine.from.empty());
  EXPECT_EQ(fine.local.size(), 4U);
  EXPECT_THROW(make_transfer_plan(BoxGrid(2, 16), BoxGrid(2, 16)), ArgumentError);
}

}  // namespace
}  // namespace ashlar::testing
