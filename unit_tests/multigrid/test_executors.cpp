// Small levels as one kernel, and cycles as graphs: the same bits as kernel by kernel.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/multigrid/level_vectors.hpp>
#include <ashlar/multigrid/multigrid_operator.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "levels.hpp"

namespace ashlar::testing {
namespace {

constexpr std::int64_t all_cells = 1 << 30;

std::vector<double> entries(const BoxVector& x) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  return {host.data(), host.data() + host.size()};
}

/// What solves on the three finest levels tell, and their solution, ghost cells and all; more than once, as a graph is
/// captured at the second.
std::vector<double> numbers_of(int box_dim, int boxes, const MultigridOptions& options, Cycle cycle) {
  const auto multigrid = benchmark(box_dim, boxes, options);
  std::vector<double> numbers;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto found = richardson(Exec(), *multigrid, cycle);
    for (const CycleReport& solve : {found->h, found->h2, found->h4}) {
      numbers.insert(numbers.end(), solve.norms.begin(), solve.norms.end());
      numbers.insert(numbers.end(), {solve.norm_of_f, double(solve.bottom_iterations)});
    }
    numbers.push_back(found->error);
  }
  const auto u = entries(multigrid->level(0).u);
  numbers.insert(numbers.end(), u.begin(), u.end());
  return numbers;
}

struct Case {
  int box_dim, boxes;
  Discretisation discretisation;
  Smoother smoother = Smoother::gsrb;
  Cycle cycle = Cycle::f;
  Equation equation = Equation::poisson;
};

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return text(to_string(c.discretisation), "_", to_string(c.smoother), "_", to_string(c.cycle), "_",
              to_string(c.equation), "_", c.boxes, "_of_", c.box_dim);
}

class Executors : public ::testing::TestWithParam<Case> {
 protected:
  MultigridOptions options(std::int64_t one_kernel_cells, bool graphs) const {
    const Case& c = GetParam();
    return {.discretisation = c.discretisation,
            .equation = c.equation,
            .smoother = c.smoother,
            .one_kernel_cells = one_kernel_cells,
            .graphs = graphs};
  }
  std::vector<double> numbers(std::int64_t one_kernel_cells, bool graphs) const {
    const Case& c = GetParam();
    return numbers_of(c.box_dim, c.boxes, options(one_kernel_cells, graphs), c.cycle);
  }
};

TEST_P(Executors, GiveTheSameBits) {
  const std::vector<double> plain = numbers(0, false);
  EXPECT_EQ(numbers(0, true), plain) << "graphs";
  for (const std::int64_t cells : {std::int64_t(512), all_cells}) {
    EXPECT_EQ(numbers(cells, false), plain) << "one kernel for " << cells << " cells";
    EXPECT_EQ(numbers(cells, true), plain) << "graphs, and one kernel for " << cells << " cells";
  }
}

std::vector<Case> cases() {
  std::vector<Case> result{
      {16, 1, fv4},
      {8, 8, fv4},
      {4, 64, fv4, Smoother::gsrb, Cycle::fv},
      {16, 1, fv2, Smoother::gsrb, Cycle::fv},
      {8, 8, fv2},
      {2, 512, fv2},
      {8, 8, fv4, Smoother::chebyshev},
      {8, 8, fv2, Smoother::chebyshev, Cycle::v},
      {8, 8, fv4, Smoother::jacobi, Cycle::v},
      {16, 1, fv2, Smoother::jacobi},
      {8, 8, fv4, Smoother::gsrb, Cycle::fv, Equation::helmholtz},
      {8, 27, fv4},  // 24^3 cells, down to one box of 3^3
      // Tiles of 8^3, 6^3 and fewer cells in scratch memory.
      {20, 1, fv4},
      {24, 1, fv4, Smoother::gsrb, Cycle::f, Equation::helmholtz},
  };
  // More tiles than teams on hosts, and of sizes that have no tiles.
  if (is_gpu_v<Exec>) result.insert(result.end(), {{32, 1, fv4}, {36, 1, fv4}, {40, 1, fv4}, {44, 1, fv4}});
  return result;
}
INSTANTIATE_TEST_SUITE_P(All, Executors, ::testing::ValuesIn(cases()), name_of);

/// As a preconditioner, which smooths back in another order.
TEST(OneKernel, PreconditionsTheSame) {
  const Exec exec;
  const auto preconditioned = [&](int box_dim, int boxes, Discretisation discretisation, std::int64_t cells,
                                  bool graphs) {
    const std::shared_ptr<const Multigrid<Exec>> multigrid =
        benchmark(box_dim, boxes, {.discretisation = discretisation, .one_kernel_cells = cells, .graphs = graphs});
    const auto size = static_cast<std::size_t>(boxes * box_dim * box_dim * box_dim);
    const Kokkos::View<double*, Exec::memory_space> r("r", size), z("z", size);
    from_boxes(exec, multigrid->level(0), multigrid->level(0).f, r);
    const MultigridPreconditioner<Exec> m(multigrid);
    for (int repeat = 0; repeat < 3; ++repeat) m.apply(exec, r, z);
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), z);
    return std::vector<double>(found.data(), found.data() + found.size());
  };
  for (const Discretisation discretisation : {fv2, fv4}) {
    const std::vector<double> plain = preconditioned(8, 8, discretisation, 0, false);
    for (const std::int64_t cells : {std::int64_t(0), std::int64_t(512), all_cells}) {
      EXPECT_EQ(preconditioned(8, 8, discretisation, cells, true), plain) << cells;
    }
  }
  EXPECT_EQ(preconditioned(20, 1, fv4, all_cells, true), preconditioned(20, 1, fv4, 0, false)) << "several tiles";
}

TEST(OneKernel, BeginsAtASmallLevel) {
  const auto with = [](const MultigridOptions& options) { return benchmark(8, 8, options); };
  const auto half = with({.one_kernel_cells = 512});
  ASSERT_EQ(half->num_levels(), 4U);  // 16^3, 8^3, 4^3 and 2^3 cells
  EXPECT_FALSE(half->is_one_kernel(0));
  EXPECT_TRUE(half->is_one_kernel(1));
  EXPECT_TRUE(half->is_one_kernel(2));
  EXPECT_FALSE(half->is_one_kernel(3)) << "its solver is one anyway";
  EXPECT_FALSE(with({.one_kernel_cells = 0})->is_one_kernel(2));
  EXPECT_FALSE(with({.one_kernel_cells = 511})->is_one_kernel(1));
  EXPECT_FALSE(with({.one_kernel_cells = 63})->is_one_kernel(2));
  EXPECT_FALSE(with({.host_threshold = 100, .one_kernel_cells = 0})->is_one_kernel(1));
  EXPECT_THROW(with({.one_kernel_cells = -1}), ArgumentError);
}

/// The steps of a cycle, with the executors that run them.
TEST(CycleOfBoxes, IsToldStepByStep) {
  const auto told = [](const MultigridOptions& options, LevelCycle kind, std::size_t level = 0) {
    return benchmark(8, 8, options)->describe_cycle(kind, level);  // 16^3, 8^3, 4^3 and 2^3 cells
  };
  EXPECT_EQ(told({.one_kernel_cells = 512, .graphs = false}, LevelCycle::v),
            "kernel by kernel\n"
            "  level 0: smooth\n"
            "  level 0: residual\n"
            "  level 0: restrict the residual\n"
            "one kernel\n"
            "  level 1: smooth from zero\n"
            "  level 1: residual\n"
            "  level 1: restrict the residual\n"
            "  level 2: smooth from zero\n"
            "  level 2: residual\n"
            "  level 2: restrict the residual\n"
            "  level 3: solve roughly\n"
            "  level 2: prolong and add\n"
            "  level 2: smooth\n"
            "  level 1: prolong and add\n"
            "  level 1: smooth\n"
            "kernel by kernel\n"
            "  level 0: prolong and add\n"
            "  level 0: smooth\n");
  EXPECT_EQ(told({.host_threshold = 9, .graphs = false}, LevelCycle::symmetric_v, 2),
            "kernel by kernel\n"
            "  level 2: smooth\n"
            "  level 2: residual\n"
            "  level 2: restrict the residual\n"
            "host\n"
            "  level 3: solve\n"
            "kernel by kernel\n"
            "  level 2: prolong and add\n"
            "  level 2: smooth, adjoint\n");
  EXPECT_EQ(told({.one_kernel_cells = 0, .graphs = false}, LevelCycle::f, 2),
            "kernel by kernel\n"
            "  level 2: restrict the right-hand side\n"
            "  level 3: solve roughly\n"
            "  level 2: start from the coarser level\n"
            "  level 2: smooth\n"
            "  level 2: residual\n"
            "  level 2: restrict the residual\n"
            "  level 3: solve roughly\n"
            "  level 2: prolong and add\n"
            "  level 2: smooth\n");
}

TEST(OneKernel, IsTold) {
  using ::testing::HasSubstr;
  const auto told = [](const MultigridOptions& options) { return benchmark(8, 8, options)->explain(); };
  const std::string half = told({.one_kernel_cells = 512});
  EXPECT_THAT(half, HasSubstr("level 1: 8^3 cells in 1 box, in one kernel with all below"));
  EXPECT_THAT(told({.one_kernel_cells = 0}), HasSubstr("one kernel: none (asked for none)"));
  EXPECT_THAT(told({.one_kernel_cells = 7}),
              HasSubstr("one kernel: none (no level but the coarsest is small enough, and one rank's)"));
  EXPECT_THAT(told({.graphs = false}), HasSubstr("graphs: none (asked for none)"));
  if (CapturedWork<Exec>::has_graphs) {
    EXPECT_THAT(told({}), HasSubstr("cycles as graphs"));
    EXPECT_THAT(told({.host_threshold = 100}), HasSubstr("graphs: none (levels are on the host, which waits)"));
  } else {
    EXPECT_THAT(told({}), HasSubstr("graphs: none (the backend has none)"));
  }
}

/// Phases cannot be told apart within one kernel.
TEST(OneKernel, IsAPhaseOfItsOwn) {
  const auto multigrid = benchmark(8, 8, {.discretisation = fv4, .one_kernel_cells = 512});
  PhaseTimes times(multigrid->num_levels());
  multigrid->count_times(&times);
  multigrid->solve(Exec(), Cycle::f);
  multigrid->count_times(nullptr);
  EXPECT_GT(times.of(0, Phase::smooth), 0);
  EXPECT_EQ(times.of(0, Phase::one_kernel), 0);
  EXPECT_GT(times.of(1, Phase::one_kernel), 0);
  EXPECT_EQ(times.of(1, Phase::smooth), 0);
  EXPECT_EQ(times.of(3, Phase::bottom), 0);
}

/// The next solve uses new coefficients, with a graph or without.
TEST(OneKernel, IsMadeAgainBySetUp) {
  const auto solved = [](bool twice) {
    const Exec exec;
    const auto multigrid = benchmark(8, 8, {.smoother = Smoother::chebyshev, .one_kernel_cells = 512});
    const auto& level = multigrid->level(0);
    for (int repeat = 0; twice && repeat < 3; ++repeat) multigrid->solve(exec, Cycle::f);
    Kokkos::deep_copy(level.beta[0], 3.0);  // across more than along: another largest eigenvalue
    multigrid->set_up(exec);
    std::vector<double> norms;
    for (int repeat = 0; repeat < 3; ++repeat) norms.push_back(multigrid->solve(exec, Cycle::f).norms[0]);
    return norms;
  };
  EXPECT_EQ(solved(true), solved(false));
}

}  // namespace
}  // namespace ashlar::testing
