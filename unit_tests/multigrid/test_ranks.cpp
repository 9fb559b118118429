// Multigrid over ranks: what one rank finds, several find to the last bit.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ghost_numbers.hpp"
#include "rank_levels.hpp"

namespace ashlar::testing {
namespace {

Level<Exec> level_of_ranks(const Exec& exec, const Communicator& comm, const BoxGrid& grid, Discretisation kind,
                           const ExchangeOptions& exchanges = {}) {
  return {exec, grid, kind, Equation::poisson, 0, std::make_shared<const Communicator>(comm.duplicate()), exchanges};
}

/// Each cell has its number, which is factor by factor another one, and each ghost cell is to have that of its cell.
void expect_every_ghost_cell(const Communicator& comm, int boxes, int dim, const ExchangeOptions& exchanges,
                             const std::vector<double>& factors) {
  const Exec exec = rank_instance<Exec>();
  const Level<Exec> level = level_of_ranks(exec, comm, BoxGrid(boxes, dim, comm.size(), comm.rank()), fv4, exchanges);
  for (const GhostShape shape : shapes) {
    SCOPED_TRACE(std::to_string(boxes) + "^3 boxes of " + std::to_string(dim) + "^3 on " + std::to_string(comm.size()) +
                 " ranks, shape " + std::to_string(int(shape)));
    const GhostFill<Exec> fill = level.ghost_fill(exec, make_ghost_plan(level.grid, 2, shape));
    for (const double factor : factors) {
      RankVector(exec, level, level.u).fill([&](int box, int i, int j, int k) {
        if (has(GhostShape::box, dim, i, j, k)) return untouched;
        const Index3& place = level.grid.place(box);
        return factor * number(level.grid.cells_per_dim(), place[0] * dim + i, place[1] * dim + j, place[2] * dim + k);
      });
      fill.exchange(exec, level.u);
      RankVector found(exec, level, level.u);
      int wrong = 0;
      for (int box = 0; box < level.num_boxes(); ++box) {
        for_each_ghost(dim, 2, [&](int i, int j, int k) {
          const double wanted = expected(level.grid, shape, level.grid.first_own() + box, i, j, k);
          wrong += found(box, i, j, k) != (wanted < 0 ? untouched : factor * wanted);
        });
      }
      EXPECT_EQ(wrong, 0);
    }
  }
}

void expect_every_ghost_cell_of_every_shape(const ExchangeOptions& exchanges) {
  // Pieces of messages of boxes from 23^3 on begin within the message; along two directions from 33^3 on.
  for (const int dim : {24, 36}) {
    run_ranks(
        2, [&](Communicator& comm) { expect_every_ghost_cell(comm, 2, dim, exchanges, {3}); }, with_delays);
  }
  for (const int ranks : {1, 2, 3, 4, 8}) {
    run_ranks(
        ranks,
        [&](Communicator& comm) {
          // One box is one rank's; of 27 some have four ranks beside them.
          for (const auto& [boxes, dim] : {std::pair{1, 4}, {2, 4}, {3, 2}, {4, 3}}) {
            expect_every_ghost_cell(comm, boxes, dim, exchanges, {1, 3, 7, 9});
          }
        },
        with_delays);
  }
  for (const int ranks : {5, 8}) {
    run_ranks(
        ranks,
        [&](Communicator& comm) {
          expect_every_ghost_cell(comm, 16, 2, exchanges, {1, 3});
        },
        with_delays);
  }
}

TEST(GhostFillOfRanks, EveryGhostCellOfEveryShape) { expect_every_ghost_cell_of_every_shape({}); }

TEST(GhostFillOfRanks, EveryGhostCellOfEveryShapeByKernels) {
  if (const char* why = why_no_kernels_of_ranks()) GTEST_SKIP() << why;
  expect_every_ghost_cell_of_every_shape({.mode = ExchangeMode::kernel, .packet_bytes = 0});
}

TEST(GhostFillOfRanks, EveryGhostCellOfEveryShapeByPackets) {
  if (const char* why = why_no_kernels_of_ranks()) GTEST_SKIP() << why;
  expect_every_ghost_cell_of_every_shape({.mode = ExchangeMode::kernel, .packet_bytes = all_as_packets});
}

TEST(GhostFillOfRanks, SendsOneMessageToEachNeighbour) {
  const auto sent = [](int ranks, int boxes, int dim, Discretisation kind) {
    std::vector<HaloCount> all;
    run_ranks(ranks, [&](Communicator& comm) {
      const Exec exec = rank_instance<Exec>();
      const Level<Exec> level = level_of_ranks(exec, comm, BoxGrid(boxes, dim, ranks, comm.rank()), kind);
      const auto counts = comm.all_gather(level.fill_for_operator.sent());
      if (comm.rank() == 0) all = counts;
    });
    return all;
  };
  // The figures of the reference implementation; and of each of four boxes two edges that lie beyond the domain, too.
  for (const HaloCount& of_rank : sent(2, 2, 16, fv4)) {
    EXPECT_EQ(of_rank.messages, 1);
    EXPECT_EQ(of_rank.bytes, (2560 + 4 * 2 * (2 * 2 * 16)) * 8);
  }
  for (const HaloCount& of_rank : sent(2, 2, 8, fv2)) EXPECT_EQ(of_rank.bytes, 256 * 8);
  for (const HaloCount& of_rank : sent(8, 2, 4, fv2)) EXPECT_EQ(of_rank.messages, 3);
  for (const HaloCount& of_rank : sent(8, 4, 4, fv2)) EXPECT_EQ(of_rank.messages, 3) << "8 boxes each";
  EXPECT_EQ(sent(1, 2, 4, fv2)[0].messages, 0);
  EXPECT_EQ(sent(2, 1, 4, fv2)[1].messages, 0);
}

/// What the transfers between all levels make, box by box.
using Boxes = std::vector<std::vector<double>>;

/// All boxes of a vector, this rank's part of them.
struct Found {
  Boxes boxes;
  int first = 0;
};

std::vector<Found> transferred(const Communicator& comm, int boxes_per_dim, int box_dim) {
  const Exec exec = rank_instance<Exec>();
  const Multigrid<Exec> multigrid(exec, grids_of(comm, boxes_per_dim, box_dim, fv4), {.discretisation = fv4}, comm);
  const auto value = [](double seed) {
    return [seed](int box, int i, int j, int k) { return std::sin(seed + 7 * box + 1.3 * i + 2.7 * j - 3.1 * k); };
  };
  std::vector<Found> found;
  const auto keep = [&](const Level<Exec>& level, const BoxVector& x) {
    found.push_back({RankVector(exec, level, x).boxes(), level.grid.first_own()});
  };
  for (std::size_t l = 0; l + 1 < multigrid.num_levels(); ++l) {
    const Level<Exec>&fine = multigrid.level(l), &coarse = multigrid.level(l + 1);
    const LevelTransfer<Exec>& transfer = multigrid.transfer(l);
    const auto set = [&](const Level<Exec>& level, const BoxVector& x) {
      RankVector(exec, level, x).fill(value(double(l)));
    };
    set(fine, fine.u);
    set(coarse, coarse.u);
    transfer.restrict_cells(exec, fine.u, coarse.u);
    keep(coarse, coarse.u);
    for (int d = 0; d < 3; ++d) {
      set(coarse, coarse.u);
      transfer.restrict_faces(exec, d, fine.u, coarse.u);
      keep(coarse, coarse.u);
    }
    for (const auto order : {InterpolationOrder::quadratic, InterpolationOrder::quartic}) {
      for (const bool adds : {false, true}) {
        set(coarse, coarse.u);
        set(fine, fine.u);
        coarse.fill_for_interpolation(exec, coarse.u, BoundaryOrder::quartic);
        transfer.interpolate(exec, order, adds, coarse.u, fine.u);
        keep(coarse, coarse.u);
        keep(fine, fine.u);
      }
    }
  }
  return found;
}

TEST(TransferOfRanks, IsThatOfOneRank) {
  for (const auto& [boxes, dim] : {std::pair{2, 8}, {4, 8}, {3, 16}}) {
    std::vector<Found> one;
    run_ranks(1, [&](Communicator& comm) { one = transferred(comm, boxes, dim); });
    for (const int ranks : {2, 3, 8}) {
      run_ranks(
          ranks,
          [&](Communicator& comm) {
            const std::vector<Found> several = transferred(comm, boxes, dim);
            ASSERT_EQ(several.size(), one.size());
            for (std::size_t n = 0; n < one.size(); ++n) {
              const auto& [own, first] = several[n];
              for (std::size_t box = 0; box < own.size(); ++box) {
                EXPECT_EQ(own[box], one[n].boxes[std::size_t(first) + box])
                    << boxes << "^3 boxes on " << ranks << " ranks, result " << n;
              }
            }
          },
          with_delays);
    }
  }
}

TEST(TransferOfRanks, SendsOnlyWhereTheOwnerChanges) {
  run_ranks(2, [](Communicator& comm) {
    const Multigrid<Exec> multigrid(rank_instance<Exec>(), grids_of(comm, 2, 16, fv4), {.discretisation = fv4}, comm);
    const bool is_second = comm.rank() == 1;
    for (std::size_t l = 0; l + 1 < multigrid.num_levels(); ++l) {
      const HaloCount up = multigrid.transfer(l).sent_to_coarse(), down = multigrid.transfer(l).sent_to_fine();
      // Level 1 has 8 boxes of 8^3, level 2 has one.
      EXPECT_EQ(up.bytes, l == 1 && is_second ? 256 * 8 : 0) << l;
      EXPECT_EQ(down.bytes, l == 1 && !is_second ? 2048 * 8 : 0) << l;
      EXPECT_EQ(up.messages + down.messages, l == 1 ? 1 : 0) << l;
    }
  });
}

struct RankCase {
  const char* name;
  int boxes_per_dim, box_dim;
  MultigridOptions options;
  Cycle cycle;
};

class SolveOfRanks : public ::testing::TestWithParam<RankCase> {};

TEST_P(SolveOfRanks, HasTheSameBitsOnAnyNumber) {
  const auto& [name, boxes, dim, options, cycle] = GetParam();
  std::vector<double> one;
  run_ranks(1, [&](Communicator& comm) { one = numbers_of(comm, boxes, dim, options, cycle); });
  for (const int ranks : {2, 3, 4, 8}) {
    run_ranks(
        ranks, [&](Communicator& comm) { EXPECT_EQ(numbers_of(comm, boxes, dim, options, cycle), one) << ranks; },
        with_delays);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SolveOfRanks,
    ::testing::Values(
        RankCase{"Fv4FCycle", 2, 8, {.discretisation = fv4}, Cycle::f},
        RankCase{"Fv4ThenV", 4, 4, {.discretisation = fv4}, Cycle::fv},
        RankCase{"Fv2ThenV", 2, 8, {.discretisation = fv2}, Cycle::fv},
        RankCase{"Fv2Chebyshev", 2, 8, {.discretisation = fv2, .smoother = Smoother::chebyshev}, Cycle::f},
        RankCase{"Fv2JacobiV", 2, 4, {.discretisation = fv2, .smoother = Smoother::jacobi}, Cycle::v},
        RankCase{"Fv4HelmholtzOf27Boxes", 3, 8, {.discretisation = fv4, .equation = Equation::helmholtz}, Cycle::fv}),
    [](const auto& info) { return std::string(info.param.name); });

/// What modes of exchanges bring is the same.
TEST(KernelsOfRanks, WriteToOtherRanksAndFindTheSameBits) {
  if (const char* why = why_no_kernels_of_ranks()) GTEST_SKIP() << why;
  MultigridOptions options{.discretisation = fv4};
  std::vector<double> one;
  run_ranks(1, [&](Communicator& comm) { one = numbers_of(comm, 2, 8, options, Cycle::f); });
  options.exchange.mode = ExchangeMode::kernel;
  for (const std::int64_t packet_bytes : {std::int64_t(0), all_as_packets}) {
    options.exchange.packet_bytes = packet_bytes;
    for (const int ranks : {2, 3, 8}) {
      run_ranks(ranks, [&](Communicator& comm) { EXPECT_EQ(numbers_of(comm, 2, 8, options, Cycle::f), one) << ranks; });
    }
  }
}

/// The part on the host begins where several ranks have boxes, at the level that gathers them, or below.
TEST(HostLevelsOfRanks, FindTheSameBits) {
  MultigridOptions options{.discretisation = fv4};
  std::vector<double> one;
  run_ranks(1, [&](Communicator& comm) { one = numbers_of(comm, 2, 16, options, Cycle::f); });
  for (const std::int64_t threshold : {10, 1000, 10000}) {
    options.host_threshold = threshold;
    for (const int ranks : {2, 3, 8}) {
      run_ranks(
          ranks,
          [&](Communicator& comm) {
            EXPECT_EQ(numbers_of(comm, 2, 16, options, Cycle::f), one) << ranks << " ranks, " << threshold;
          },
          with_delays);
    }
  }
}

/// Small levels that are one rank's are one kernel there.
TEST(ExecutorsOfRanks, FindTheSameBits) {
  for (const Discretisation kind : {fv2, fv4}) {
    MultigridOptions options{.discretisation = kind, .one_kernel_cells = 0};
    std::vector<double> one;
    run_ranks(1, [&](Communicator& comm) { one = numbers_of(comm, 2, 16, options, Cycle::fv); });
    options.one_kernel_cells = 1 << 20;
    for (const int ranks : {1, 2, 3}) {
      run_ranks(ranks, [&](Communicator& comm) {
        EXPECT_EQ(numbers_of(comm, 2, 16, options, Cycle::fv), one) << ranks << " ranks";
        const auto multigrid = benchmark_of_ranks(rank_instance<Exec>(), comm, 2, 16, options);
        EXPECT_EQ(multigrid->is_one_kernel(0), ranks == 1);
        EXPECT_EQ(multigrid->is_one_kernel(1), ranks == 1) << "8 boxes of 8^3 cells are several ranks'";
        EXPECT_TRUE(multigrid->is_one_kernel(2)) << "one of 8^3 is not";
      });
    }
  }
}

TEST(ThreadsOfMultigrid, FindTheSameBits) {
  for (const Discretisation kind : {fv2, fv4}) {
    const auto found = [&](const Exec& exec) {
      return numbers_of(Communicator(), 2, 16, {.discretisation = kind}, Cycle::f, exec);
    };
    EXPECT_EQ(found(Exec()), found(rank_instance<Exec>()));
  }
}

/// On as many ranks as there are times taken, that of the slowest.
TEST(PhaseTimesOfRanks, AreThoseOfTheSlowest) {
  run_ranks(3, [](Communicator& comm) {
    const Exec exec = rank_instance<Exec>();
    PhaseTimes times(2);
    times.run(exec, 1, Phase::smooth, [&] {
      const Kokkos::Timer timer;
      while (timer.seconds() < 0.01 * comm.rank()) let_others_run();
    });
    times.take_slowest(comm);
    EXPECT_GE(times.of(1, Phase::smooth), 0.02);
    EXPECT_EQ(times.of(0, Phase::smooth), 0);
    EXPECT_EQ(comm.max(times.of(1, Phase::smooth)), times.of(1, Phase::smooth));
  });
}

TEST(MultigridOfRanks, FailsOnAllTogether) {
  run_ranks(3, [](Communicator& comm) {
    const Exec exec = rank_instance<Exec>();
    const auto make = [&](const std::vector<BoxGrid>& grids) { Multigrid<Exec>(exec, grids, {}, comm); };
    EXPECT_THROW(make(grids_of(comm, 2, 1 << 14, fv4)), Error);
    EXPECT_THROW(make(make_hierarchy(2, 8, 2, 3, 1)), Error) << "another rank's";
    EXPECT_THROW(make(make_hierarchy(2, 8, 2, 4, comm.rank())), ArgumentError) << "of more ranks than there are";
    EXPECT_THROW(make(grids_of(comm, 3, 10, fv4)), ArgumentError) << "27 boxes on the coarsest level";
    EXPECT_THROW(make({}), ArgumentError);

    // One coefficient of one rank's.
    Multigrid<Exec> multigrid(exec, grids_of(comm, 2, 8, fv2), {.discretisation = fv2}, comm);
    set_benchmark_problem(exec, multigrid.level(0));
    if (comm.rank() == 2) {
      RankVector(exec, multigrid.level(0), multigrid.level(0).beta[1]).fill([](int box, int i, int j, int k) {
        return box == 7 && i == 3 && j == 3 && k == 3 ? -100 : 1;
      });
    }
    EXPECT_THROW(multigrid.set_up(exec), NumericalError);
    // What is right after it works.
    set_benchmark_problem(exec, multigrid.level(0));
    multigrid.set_up(exec);
    EXPECT_TRUE(multigrid.solve(exec, Cycle::fv).converged);
  });
  // On one rank the coarsest level may have any number.
  EXPECT_NO_THROW(Multigrid<Exec>(Exec(), make_hierarchy(3, 10, 2), {}));
  run_ranks(3, [](Communicator& comm) {
    const auto grids = grids_of(comm, 3, 10, fv4, {.min_cells_per_rank = 2000});
    EXPECT_NO_THROW(Multigrid<Exec>(rank_instance<Exec>(), grids, {}, comm)) << "one of several has all";
  });
}

TEST(MultigridOfRanks, NormsAreTheLargestOfAllAndSeeNaN) {
  run_ranks(4, [](Communicator& comm) {
    const Exec exec = rank_instance<Exec>();
    // The last rank has no box.
    const Level<Exec> level = level_of_ranks(exec, comm, BoxGrid(2, 2, 3, comm.rank()), fv2);
    const auto fill = [&](double special) {
      RankVector(exec, level, level.u).fill([&](int box, int i, int j, int k) {
        const bool is_own = !has(GhostShape::box, 2, i, j, k);
        return !is_own ? 1e9 : box == 4 && i + j + k == 2 ? special : box;
      });
    };
    fill(-80);
    EXPECT_EQ(max_norm(exec, level, level.u), 80);
    EXPECT_THROW(dot(exec, level, level.u, level.u), ArgumentError);
    fill(std::numeric_limits<double>::quiet_NaN());
    EXPECT_TRUE(std::isinf(max_norm(exec, level, level.u)));
    RankVector(exec, level, level.u).fill([](int, int, int, int) { return 0; });
    EXPECT_EQ(max_norm(exec, level, level.u), 0);
  });
}

}  // namespace
}  // namespace ashlar::testing
