// What a level over ranks computes while its messages are on their way.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "rank_levels.hpp"
#include "support/host_streams.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

template <class Visit>
void for_each_cell_of(const CellRegion& region, const Visit& visit) {
  for (int k = 0; k < region.size[2]; ++k) {
    for (int j = 0; j < region.size[1]; ++j) {
      for (int i = 0; i < region.size[0]; ++i) {
        visit(region.box, region.begin[0] + i, region.begin[1] + j, region.begin[2] + k);
      }
    }
  }
}

using Cell = std::tuple<int, int, int, int>;  // box, i, j, k

/// Whether the operator at a cell reads one of another rank: by the cells that its formula names.
bool reads_others(const BoxGrid& grid, Discretisation kind, const Cell& cell) {
  const int n = grid.box_dim();
  const auto& [box, i, j, k] = cell;
  const Index3& place = grid.place(grid.first_own() + box);
  const int reach = reach_of(kind);
  for (int dk = -reach; dk <= reach; ++dk) {
    for (int dj = -reach; dj <= reach; ++dj) {
      for (int di = -reach; di <= reach; ++di) {
        const int far = std::max({std::abs(di), std::abs(dj), std::abs(dk)});
        const int directions = int(di != 0) + int(dj != 0) + int(dk != 0);
        const bool is_read = directions == 1 || (kind == fv4 && directions == 2 && far == 1);
        const int at[3] = {place[0] * n + i + di, place[1] * n + j + dj, place[2] * n + k + dk};
        bool is_inside = true;
        for (const int x : at) is_inside = is_inside && x >= 0 && x < grid.cells_per_dim();
        if (is_read && is_inside && grid.owner(grid.box_at({at[0] / n, at[1] / n, at[2] / n})) != grid.rank()) {
          return true;
        }
      }
    }
  }
  return false;
}

TEST(LevelCut, TheShellReadsOrSendsAndTheInteriorDoesNeither) {
  for (const Discretisation kind : {fv2, fv4}) {
    const GhostShape shape = kind == fv2 ? GhostShape::star : GhostShape::no_corners;
    for (const int ranks : {1, 2, 3, 4, 8, 11}) {
      for (const auto& [boxes, dim] : {std::pair{1, 4}, {2, 2}, {2, 3}, {2, 4}, {2, 9}, {3, 6}, {4, 5}}) {
        for (int rank = 0; rank < ranks; ++rank) {
          SCOPED_TRACE(std::to_string(boxes) + "^3 boxes of " + std::to_string(dim) + "^3, rank " +
                       std::to_string(rank) + " of " + std::to_string(ranks) + ", fv" + (kind == fv2 ? "2" : "4"));
          const BoxGrid grid(boxes, dim, ranks, rank);
          const RegionSize size{5, 4, 30};
          const LevelCut cut = cut_level(grid, reach_of(kind), shape, size);
          std::set<Cell> interior, shell, wanted;
          for (const auto& [regions, cells] : {std::pair{&cut.interior, &interior}, {&cut.shell, &shell}}) {
            for (const CellRegion& region : *regions) {
              EXPECT_LE(region.size[0], size.widest);
              EXPECT_LE(region.size[1], size.highest);
              EXPECT_LE(region.size[0] * region.size[1] * region.size[2], size.most_cells);
              for_each_cell_of(region, [&](int box, int i, int j, int k) {
                EXPECT_TRUE(cells->insert({box, i, j, k}).second) << "twice";
              });
            }
          }
          EXPECT_EQ(std::int64_t(interior.size() + shell.size()), std::int64_t(grid.num_own()) * dim * dim * dim);
          for (const GhostCopy& sent : make_ghost_plan(grid, reach_of(kind), shape).pack) {
            // What lies beyond the domain follows from four cells within.
            CellRegion read{sent.from_box, sent.from, sent.size};
            for (int d = 0; d < 3; ++d) {
              if (sent.outside[d] == 0) continue;
              read.size[d] = std::min(4, dim);
              read.begin[d] = sent.outside[d] < 0 ? 0 : dim - read.size[d];
            }
            for_each_cell_of(read, [&](int box, int i, int j, int k) { wanted.insert({box, i, j, k}); });
          }
          for (const auto* const cells : {&interior, &shell}) {
            for (const Cell& cell : *cells) {
              if (reads_others(grid, kind, cell)) wanted.insert(cell);
            }
          }
          EXPECT_EQ(shell, wanted);
        }
      }
    }
  }
}

/// A whole number, so that A x is exact but for one rounding, whoever multiplies and adds at once.
double value(const Level<Exec>& level, int box, int i, int j, int k) {
  const Index3& place = level.grid.place(box);
  const int n = level.layout.dim;
  return (7 * (place[0] * n + i) + 13 * (place[1] * n + j) + 29 * (place[2] * n + k)) % 31 - 15;
}

/// A x is the same with overlap as without, more than once. Ghost cells hold NaN when the messages start: a result is
/// NaN if a ghost cell is read too early, or not filled.
void expect_no_early_read(const Communicator& comm, Discretisation kind) {
  const Exec exec = rank_instance<Exec>();
  for (const auto& [boxes, dim] : {std::pair{2, 8}, {3, 6}, {4, 5}, {2, 36}}) {
    Level<Exec> level(exec, BoxGrid(boxes, dim, comm.size(), comm.rank()), kind, Equation::poisson, 0,
                      std::make_shared<const Communicator>(comm.duplicate()), {.mode = ExchangeMode::blocking});
    for (int d = 0; d < 3; ++d) {
      RankVector(exec, level, level.beta[d]).fill([&](int box, int i, int j, int k) {
        return 20 + d + value(level, box, i, j, k);
      });
    }
    std::vector<std::vector<std::vector<double>>> found;
    for (const Overlap overlap : {Overlap::off, Overlap::on, Overlap::on}) {
      level.set_overlap(exec, overlap);
      EXPECT_EQ(level.is_cut(), overlap == Overlap::on && level.num_boxes() > 0);
      RankVector(exec, level, level.u).fill([&](int box, int i, int j, int k) {
        const auto is_own = [n = dim](int x) { return x >= 0 && x < n; };
        return is_own(i) && is_own(j) && is_own(k) ? value(level, box, i, j, k)
                                                   : std::numeric_limits<double>::quiet_NaN();
      });
      RankVector(exec, level, level.temp).fill([](int, int, int, int) { return 0.5; });
      apply(exec, level, level.u, level.temp);
      found.push_back(RankVector(exec, level, level.temp).boxes());
    }
    for (const auto& box : found[0]) {
      for (const double x : box) ASSERT_TRUE(std::isfinite(x));
    }
    for (const std::size_t k : {1, 2}) {
      EXPECT_EQ(found[k], found[0]) << boxes << "^3 boxes of " << dim << "^3 on " << comm.size() << " ranks";
    }
  }
}

TEST(OverlapOfRanks, ReadsNoGhostCellThatIsNotThereYet) {
  for (const Discretisation kind : {fv2, fv4}) {
    for (const int ranks : {2, 3, 4, 8}) {
      run_ranks(
          ranks, [&](Communicator& comm) { expect_no_early_read(comm, kind); }, with_delays);
    }
  }
}

/// All boxes of a level, those of all ranks.
using Boxes = std::vector<std::vector<double>>;

/// Puts what a solve by a cycle leaves, and then a V-cycle of CG's preconditioner, into `solution`, where each rank has
/// its boxes: u, at own cells.
void solve(const Communicator& comm, int boxes_per_dim, int box_dim, const MultigridOptions& options, Boxes& solution) {
  const Exec exec = rank_instance<Exec>();
  const auto multigrid = benchmark_of_ranks(exec, comm, boxes_per_dim, box_dim, options);
  const Level<Exec>& level = multigrid->level(0);
  if (options.overlap != Overlap::automatic && comm.size() > 1) {
    EXPECT_EQ(level.is_cut(), options.overlap != Overlap::off);
  }
  multigrid->solve(exec, Cycle::f);
  Kokkos::deep_copy(exec, level.r, level.f);
  multigrid->run_cycle(exec, 0, LevelCycle::symmetric_v);
  RankVector u(exec, level, level.u);
  for (int own = 0; own < level.num_boxes(); ++own) {
    std::vector<double>& box = solution[std::size_t(level.grid.first_own() + own)];
    for_each_cell_of({own, {0, 0, 0}, level.box_size()},
                     [&](int b, int i, int j, int k) { box.push_back(u(b, i, j, k)); });
  }
}

Boxes solution_of(int ranks, int boxes_per_dim, int box_dim, const MultigridOptions& options) {
  Boxes solution(std::size_t(boxes_per_dim * boxes_per_dim * boxes_per_dim));
  run_ranks(
      ranks, [&](Communicator& comm) { solve(comm, boxes_per_dim, box_dim, options, solution); }, with_delays);
  return solution;
}

struct OverlapCase {
  const char* name;
  int boxes_per_dim, box_dim;
  MultigridOptions options;
};

class OverlapInSolves : public ::testing::TestWithParam<OverlapCase> {};

TEST_P(OverlapInSolves, HasTheSameBits) {
  auto [name, boxes, dim, options] = GetParam();
  const Boxes one = solution_of(1, boxes, dim, options);
  for (const Overlap overlap : {Overlap::on, Overlap::off, Overlap::automatic}) {
    options.overlap = overlap;
    for (const int ranks : {2, 4, 5, 8}) {
      if (overlap == Overlap::automatic && ranks != 4) continue;
      EXPECT_EQ(solution_of(ranks, boxes, dim, options), one) << ranks << " ranks, " << to_string(overlap);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, OverlapInSolves,
    ::testing::Values(OverlapCase{"Fv2", 2, 8, {.discretisation = fv2}},
                      OverlapCase{"Fv2Chebyshev", 2, 8, {.discretisation = fv2, .smoother = Smoother::chebyshev}},
                      OverlapCase{
                          "Fv2JacobiHelmholtz",
                          2,
                          8,
                          {.discretisation = fv2, .equation = Equation::helmholtz, .smoother = Smoother::jacobi}},
                      OverlapCase{"Fv4", 2, 8, {.discretisation = fv4}},
                      OverlapCase{"Fv4Of27Boxes", 3, 8, {.discretisation = fv4}},
                      OverlapCase{"Fv4Chebyshev", 2, 8, {.discretisation = fv4, .smoother = Smoother::chebyshev}},
                      OverlapCase{"Fv4Jacobi", 2, 8, {.discretisation = fv4, .smoother = Smoother::jacobi}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(OverlapOfRanks, IsForTheBlockingMode) {
  for (const ExchangeMode mode : {ExchangeMode::stream, ExchangeMode::kernel}) {
    run_ranks(2, [&](Communicator& comm) {
      const MultigridOptions options{.exchange = {.mode = mode}, .overlap = Overlap::on};
      const std::string message =
          message_of<ArgumentError>([&] { benchmark_of_ranks(rank_instance<Exec>(), comm, 2, 8, options); });
      EXPECT_THAT(message, HasSubstr("overlap on in the exchange mode " + std::string(to_string(mode)) + " (only"));
    });
  }
  if (is_gpu_v<Exec>) return;  // ranks that share a device have no streams
  run_ranks(2, [&](Communicator& comm) {
    const auto multigrid = benchmark_of_ranks(rank_instance<Exec>(), with_host_streams(comm), 2, 8,
                                              {.exchange = {.mode = ExchangeMode::stream}});
    const Level<Exec>& level = multigrid->level(0);
    EXPECT_FALSE(level.may_be_cut() || level.is_cut() || level.overlap_times);
    EXPECT_EQ(level.overlap(), Overlap::off);
    EXPECT_THAT(multigrid->explain(), Not(HasSubstr("overlap")));
  });
}

TEST(OverlapOfRanks, IsChosenTogetherAndTold) {
  const auto explained = [](int ranks, Overlap overlap) {
    std::string result;
    run_ranks(ranks, [&](Communicator& comm) {
      const auto multigrid = benchmark_of_ranks(rank_instance<Exec>(), comm, 2, 8, {.overlap = overlap});
      const std::string mine = multigrid->explain();
      if (comm.rank() == 0) result = mine;
      EXPECT_EQ(comm.broadcast(mine), mine);
    });
    return result;
  };
  EXPECT_THAT(explained(1, Overlap::on),
              HasSubstr("messages: none, as one rank has all boxes (asked for: overlap on)"));
  EXPECT_THAT(explained(1, Overlap::automatic), Not(HasSubstr("overlap")));
  EXPECT_THAT(
      explained(3, Overlap::on),
      ::testing::AllOf(HasSubstr("8 boxes on 3 ranks (" + std::string(Exec::name()) + "), messages in mode blocking ("),
                       HasSubstr("kernel: ranks 0 and 1 are threads of one process), overlaps; level 1:")));
  EXPECT_THAT(explained(3, Overlap::off), HasSubstr(", no overlap"));
  EXPECT_THAT(explained(3, Overlap::off), Not(HasSubstr("us a smoothing")));
  EXPECT_THAT(explained(3, Overlap::automatic), HasSubstr("us a smoothing with it"));
}

}  // namespace
}  // namespace ashlar::testing
