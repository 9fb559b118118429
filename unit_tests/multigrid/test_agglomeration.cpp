// Levels of few cells on fewer ranks, and in one box: the same bits for any number of cells that ranks have at least,
// and what one rank has alone it does as a run of one rank would.
#include <gmock/gmock.h>

#include <ashlar/base/text.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "rank_levels.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t all_cells = std::int64_t(1) << 40;
constexpr HierarchyOptions all_on_one{.min_cells_per_rank = all_cells, .joins_boxes = false};  // but the finest level

struct AgglomerationCase {
  const char* name;
  int boxes_per_dim, box_dim;
  MultigridOptions options;
  Cycle cycle;
};

class Agglomeration : public ::testing::TestWithParam<AgglomerationCase> {
 protected:
  std::vector<double> numbers(const Communicator& comm, const HierarchyOptions& levels) const {
    const AgglomerationCase& c = GetParam();
    return numbers_of(comm, c.boxes_per_dim, c.box_dim, c.options, c.cycle, rank_instance<Exec>(), levels);
  }
  std::vector<double> plain() const {
    std::vector<double> result;
    run_ranks(1, [&](Communicator& comm) { result = numbers(comm, over_all_ranks); });
    return result;
  }
};

TEST_P(Agglomeration, HasTheSameBitsForAnyNumberOfCells) {
  const std::vector<double> one = plain();
  for (const int ranks : {2, 3, 8}) {
    // The next level on half of 8 ranks, those below on fewer; all but the finest on one.
    for (const std::int64_t min_cells : {std::int64_t(513), all_cells}) {
      run_ranks(
          ranks,
          [&](Communicator& comm) {
            EXPECT_EQ(numbers(comm, {min_cells, min_cells == 513}), one) << ranks << " ranks of " << min_cells;
          },
          with_delays);
    }
  }
}

TEST_P(Agglomeration, HasTheSameBitsInOneBox) {
  const std::vector<double> one = plain();
  for (const int ranks : {1, 3}) {
    run_ranks(
        ranks,
        [&](Communicator& comm) {
          EXPECT_EQ(numbers(comm, {all_cells, true}), one) << ranks << " ranks";
        },
        with_delays);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Agglomeration,
    ::testing::Values(
        AgglomerationCase{"Fv4ThenV", 4, 8, {.discretisation = fv4}, Cycle::fv},
        AgglomerationCase{"Fv4BesideMessages", 2, 16, {.discretisation = fv4, .overlap = Overlap::on}, Cycle::f},
        AgglomerationCase{"Fv2Chebyshev", 2, 16, {.discretisation = fv2, .smoother = Smoother::chebyshev}, Cycle::fv},
        AgglomerationCase{"Fv2OfSmallBoxes", 8, 2, {.discretisation = fv2}, Cycle::f},
        AgglomerationCase{"Fv2Of27Boxes", 3, 8, {.discretisation = fv2, .smoother = Smoother::jacobi}, Cycle::f},
        AgglomerationCase{"Fv4JacobiOfTwelves", 2, 12, {.smoother = Smoother::jacobi}, Cycle::f},
        AgglomerationCase{"HelmholtzOfTwelves", 2, 12, {.equation = Equation::helmholtz}, Cycle::f},
        AgglomerationCase{"HelmholtzOf27Boxes", 3, 8, {.equation = Equation::helmholtz}, Cycle::f},
        AgglomerationCase{"Fv4InOneKernel", 4, 8, {.one_kernel_cells = 1 << 20}, Cycle::f}),
    [](const auto& info) { return std::string(info.param.name); });

/// The host's part begins on the level that one rank has all of, or below.
TEST(AgglomerationOfHostLevels, HasTheSameBits) {
  MultigridOptions options{.discretisation = fv4};
  std::vector<double> one;
  run_ranks(1, [&](Communicator& comm) { one = numbers_of(comm, 2, 16, options, Cycle::f); });
  for (const std::int64_t threshold : {1000, 10000}) {
    options.host_threshold = threshold;
    run_ranks(
        3,
        [&](Communicator& comm) {
          EXPECT_EQ(numbers_of(comm, 2, 16, options, Cycle::f, rank_instance<Exec>(), all_on_one), one) << threshold;
        },
        with_delays);
  }
}

TEST(AgglomerationOfKernels, HasTheSameBits) {
  if (const char* why = why_no_kernels_of_ranks()) GTEST_SKIP() << why;
  MultigridOptions options{.discretisation = fv4};
  std::vector<double> one;
  run_ranks(1, [&](Communicator& comm) { one = numbers_of(comm, 4, 8, options, Cycle::f); });
  options.exchange.mode = ExchangeMode::kernel;
  for (const std::int64_t min_cells : {std::int64_t(513), all_cells}) {
    run_ranks(8, [&](Communicator& comm) {
      EXPECT_EQ(numbers_of(comm, 4, 8, options, Cycle::f, rank_instance<Exec>(), {min_cells, true}), one) << min_cells;
    });
  }
}

/// Levels that were several ranks' are one kernel where one has all of them, and graphs.
TEST(AgglomerationOfCycles, IsOneKernelOfOneRank) {
  constexpr MultigridOptions options{.discretisation = fv4, .one_kernel_cells = 1 << 20};
  for (const int ranks : {2, 3}) {
    run_ranks(ranks, [&](Communicator& comm) {
      const Exec exec = rank_instance<Exec>();
      const auto apart = benchmark_of_ranks(exec, comm, 2, 16, options);
      const auto joined = benchmark_of_ranks(exec, comm, 2, 16, options, all_on_one);
      EXPECT_FALSE(apart->is_one_kernel(1)) << "16^3 cells in 8 boxes, several ranks'";
      EXPECT_FALSE(joined->is_one_kernel(0));
      // All ranks of this test share the device, if there is one: then one team has to do.
      EXPECT_EQ(joined->is_one_kernel(1), !is_gpu_v<Exec>);
      EXPECT_TRUE(joined->is_one_kernel(2));
      const std::string told = joined->explain();
      EXPECT_THAT(told, HasSubstr(text("level 0: 32^3 cells in 8 boxes on ", ranks, " ranks")));
      EXPECT_THAT(told, HasSubstr("level 1: 16^3 cells in 8 boxes on 1 rank"));
      EXPECT_THAT(apart->explain(), HasSubstr(text("level 1: 16^3 cells in 8 boxes on ", ranks, " ranks")));
      if (!is_gpu_v<Exec>) {
        EXPECT_THAT(told, HasSubstr("level 1: 16^3 cells in 8 boxes on 1 rank, in one kernel"));
      }
      if (CapturedWork<Exec>::has_graphs) {
        EXPECT_THAT(told,
                    HasSubstr("; graphs from level 1 on (above none: the host waits for messages between ranks)"));
        EXPECT_THAT(apart->explain(), HasSubstr("; graphs from level 2 on"));
      }
      EXPECT_EQ(comm.broadcast(told), told);
      // Over and over, as graphs are captured at the second run.
      const CycleReport first = apart->solve(exec, Cycle::fv);
      for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(joined->solve(exec, Cycle::fv).norms, first.norms);
    });
  }
}

/// Nothing is one kernel, so that a device's graphs are of many.
TEST(AgglomerationOfCycles, IsReplayedByOneRank) {
  const MultigridOptions options{.discretisation = fv4, .one_kernel_cells = 0};
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = rank_instance<Exec>();
    const auto apart = benchmark_of_ranks(exec, comm, 2, 16, options);
    const auto joined = benchmark_of_ranks(exec, comm, 2, 16, options, all_on_one);
    const auto norm_of_u = [&](const Multigrid<Exec>& multigrid, LevelCycle kind) {
      const Level<Exec>& level = multigrid.level(0);
      Kokkos::deep_copy(exec, level.r, level.f);
      Kokkos::deep_copy(exec, level.u, 0.0);
      multigrid.run_cycle(exec, 0, kind);
      return max_norm(exec, level, level.u);
    };
    for (const LevelCycle kind : {LevelCycle::v, LevelCycle::symmetric_v}) {
      const double norm = norm_of_u(*apart, kind);
      EXPECT_GT(norm, 0);
      for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(norm_of_u(*joined, kind), norm);
    }
  });
}

}  // namespace
}  // namespace ashlar::testing
