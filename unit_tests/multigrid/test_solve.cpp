// Whole solves: the tables of the benchmark's reference implementation, and solutions that are known.
#include <gmock/gmock.h>

#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "levels.hpp"
#include "reference_rows.hpp"

namespace ashlar::testing {
namespace {

class ReferenceTable : public ::testing::TestWithParam<ReferenceRow> {};

TEST_P(ReferenceTable, HasTheSameNumbers) {
  const auto multigrid = benchmark(GetParam().box_dim, 8, GetParam().options);
  expect_row(GetParam(), Exec(), *multigrid);
}

INSTANTIATE_TEST_SUITE_P(Rows, ReferenceTable, ::testing::ValuesIn(reference_rows()),
                         [](const auto& info) { return std::string(info.param.name); });

/// What is set up on each level of 32^3 cells in 8 boxes, and what a product and a smoothing make.
struct Figures {
  Discretisation discretisation;
  std::vector<double> eigenvalues, inverse_diagonals;
  double product, smoothed, residual_after;
};

class ReferenceSetUp : public ::testing::TestWithParam<Figures> {};

TEST_P(ReferenceSetUp, HasTheSameNumbers) {
  const Exec exec;
  const Figures& expected = GetParam();
  const auto multigrid = benchmark(16, 8, {.discretisation = expected.discretisation});
  ASSERT_EQ(multigrid->num_levels(), expected.eigenvalues.size());
  const std::vector<double> sources{8.748951839746923e-01, 6.007449875580856e-01, 1.843492673356193e-01,
                                    2.464882387375017e-02, 2.464882387375015e-02, 0};
  for (std::size_t l = 0; l < multigrid->num_levels(); ++l) {
    const Level<Exec>& level = multigrid->level(l);
    EXPECT_NEAR(level.largest_eigenvalue, expected.eigenvalues[l], 1e-13) << l;
    EXPECT_NEAR(max_norm(exec, level, level.inverse_diagonal), expected.inverse_diagonals[l], 1e-16) << l;
    EXPECT_NEAR(max_norm(exec, level, level.f), sources[l], 2e-15) << l;
  }
  const Level<Exec>& level = multigrid->level(0);
  Kokkos::deep_copy(level.u, level.f);
  apply(exec, level, level.u, level.temp);
  EXPECT_NEAR(max_norm(exec, level, level.temp), expected.product, 1e-11);
  Kokkos::deep_copy(level.u, 0.0);
  smooth(exec, level, Smoother::gsrb, level.u, level.f);
  EXPECT_NEAR(max_norm(exec, level, level.u), expected.smoothed, 1e-17);
  residual(exec, level, level.u, level.f, level.temp);
  EXPECT_NEAR(max_norm(exec, level, level.temp), expected.residual_after, 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Operators, ReferenceSetUp,
                         ::testing::Values(Figures{fv2,
                                                   {2, 2, 2, 2, 1.333333333333333, 1},
                                                   {2.154145261966434e-04, 8.437263836118491e-04, 3.148800004837676e-03,
                                                    1.097253972189349e-02, 1.851851851851852e-02,
                                                    8.333333333333333e-02},
                                                   7.863087538954143e+02,
                                                   8.557206690920866e-04,
                                                   9.884761901808470e-01},
                                           Figures{fv4,
                                                   {2.223793917728256, 2.226274197285770, 2.230456209215220,
                                                    2.232895071943511, 1.375886524822695},
                                                   {1.723316209573147e-04, 6.749811068894793e-04, 2.519040003870140e-03,
                                                    7.886321937968606e-03, 1.418439716312057e-02},
                                                   8.264566580216309e+02,
                                                   7.370085984174682e-04,
                                                   1.118599218156758e+00}),
                         [](const auto& info) { return std::string(to_string(info.param.discretisation)); });

/// The same cells in one box, in 8, 64 and, with fv2, 512: every cell is computed alike. (fv4 extrapolates coefficients
/// beyond the boundary by fewer points in boxes of 4^3.)
TEST(Boxes, AnyCutGivesTheSameBits) {
  for (const Discretisation discretisation : {fv2, fv4}) {
    std::vector<double> first;
    for (const auto& [box_dim, boxes] : {std::pair{32, 1}, {16, 8}, {8, 64}, {4, 512}}) {
      if (discretisation == fv4 && box_dim < 5) continue;
      const auto multigrid = benchmark(box_dim, boxes, {.discretisation = discretisation});
      const auto found = richardson(Exec(), *multigrid, Cycle::f);
      ASSERT_TRUE(found);
      const std::vector<double> numbers{found->h.norms[0], found->h2.norms[0], found->h4.norms[0], found->error};
      if (first.empty()) first = numbers;
      EXPECT_EQ(numbers, first) << boxes << " boxes";
    }
  }
}

TEST(Boxes, AnOddNumberOfThemConverges) {
  // 27 boxes of 8^3: 24, 12, 6 and 3 cells in a direction.
  const auto multigrid = benchmark(8, 27, {.discretisation = fv4});
  EXPECT_EQ(multigrid->level(multigrid->num_levels() - 1).grid.cells_per_dim(), 3);
  EXPECT_TRUE(multigrid->solve(Exec(), Cycle::fv).converged);
}

/// The average of a function over the cell or face [a, a + width] by Gauss' rule of three points in each direction.
template <class Function>
double average(const std::array<double, 3>& a, const std::array<double, 3>& width, const Function& function) {
  const double points[3] = {0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)},
               weights[3] = {5. / 18, 8. / 18, 5. / 18};
  double sum = 0;
  for (int p = 0; p < 27; ++p) {
    const int i = p % 3, j = p / 3 % 3, k = p / 9;
    sum += weights[i] * weights[j] * weights[k] *
           function(a[0] + width[0] * points[i], a[1] + width[1] * points[j], a[2] + width[2] * points[k]);
  }
  return sum;
}

/// The largest error of cells_per_dim^3 cells in 8 boxes where the solution is a product of sines.
double error_against_sines(Discretisation discretisation, Equation equation, Cycle cycle, int cells_per_dim) {
  constexpr double wave = 2 * std::numbers::pi;
  const auto u = [](double x, double y, double z) {
    return std::sin(wave * x) * std::sin(wave * y) * std::sin(wave * z);
  };
  const auto beta = [&](double x, double y, double z) { return 1 + 0.25 * u(x, y, z); };
  const auto f = [&](double x, double y, double z) {
    double slopes = 0;
    for (const double dx : {std::cos(wave * x) * std::sin(wave * y) * std::sin(wave * z),
                            std::sin(wave * x) * std::cos(wave * y) * std::sin(wave * z),
                            std::sin(wave * x) * std::sin(wave * y) * std::cos(wave * z)}) {
      slopes += wave * dx * wave * dx;
    }
    const double term = equation == Equation::helmholtz ? u(x, y, z) : 0;
    return term + 3 * wave * wave * u(x, y, z) * beta(x, y, z) - 0.25 * slopes;
  };
  const Exec exec;
  const int dim = cells_per_dim / 2;
  Multigrid<Exec> multigrid(exec, make_hierarchy(2, dim, reach_of(discretisation)),
                            {.discretisation = discretisation, .equation = equation});
  const Level<Exec>& level = multigrid.level(0);
  const double h = level.grid.cell_width();
  HostVector(level, level.f).fill([&](int i, int j, int k) { return average({i * h, j * h, k * h}, {h, h, h}, f); });
  for (int d = 0; d < 3; ++d) {
    HostVector faces(level, level.beta[d]);
    std::array<double, 3> width{h, h, h};
    width[std::size_t(d)] = 0;
    for (int box = 0; box < level.num_boxes(); ++box) {
      const Index3& place = level.grid.place(box);
      for (int k = 0; k <= dim; ++k) {
        for (int j = 0; j <= dim; ++j) {
          for (int i = 0; i <= dim; ++i) {
            if ((d != 0 && i == dim) || (d != 1 && j == dim) || (d != 2 && k == dim)) continue;
            faces.in_box(box, i, j, k) =
                average({(place[0] * dim + i) * h, (place[1] * dim + j) * h, (place[2] * dim + k) * h}, width, beta);
          }
        }
      }
    }
    faces.to_device();
  }
  if (equation == Equation::helmholtz) Kokkos::deep_copy(level.alpha, 1.0);
  multigrid.set_up(exec);
  EXPECT_TRUE(multigrid.solve(exec, cycle).converged);
  HostVector found(level, level.u);
  double worst = 0;
  for (int k = 0; k < cells_per_dim; ++k) {
    for (int j = 0; j < cells_per_dim; ++j) {
      for (int i = 0; i < cells_per_dim; ++i) {
        const double off = std::abs(found(i, j, k) - average({i * h, j * h, k * h}, {h, h, h}, u));
        worst = larger(worst, off);
      }
    }
  }
  return worst;
}

TEST(Convergence, IsOfTheOperatorsOrder) {
  for (const Equation equation : {Equation::poisson, Equation::helmholtz}) {
    const auto order = [&](Discretisation discretisation, Cycle cycle) {
      return std::log2(error_against_sines(discretisation, equation, cycle, 16) /
                       error_against_sines(discretisation, equation, cycle, 32));
    };
    EXPECT_NEAR(order(fv2, Cycle::fv), 2, 0.2) << to_string(equation);
    EXPECT_NEAR(order(fv4, Cycle::fv), 4, 0.3) << to_string(equation);
    // One F-cycle is enough for that.
    EXPECT_GT(order(fv4, Cycle::f), 3.6) << to_string(equation);
  }
}

TEST(Cycles, VCyclesConvergeFromZeroWithEachSmoother) {
  for (const Smoother smoother : {Smoother::gsrb, Smoother::chebyshev, Smoother::jacobi}) {
    const auto multigrid = benchmark(8, 8, {.discretisation = fv2, .smoother = smoother});
    const CycleReport report = multigrid->solve(Exec(), Cycle::v);
    EXPECT_TRUE(report.converged) << to_string(smoother);
    EXPECT_LT(report.norms.size(), smoother == Smoother::jacobi ? 20U : 11U) << to_string(smoother);
    for (std::size_t c = 1; c < report.norms.size(); ++c) EXPECT_LT(report.norms[c], 0.5 * report.norms[c - 1]);
  }
}

TEST(Cycles, ALimitOfCyclesIsKept) {
  const auto multigrid = benchmark(8, 8, {.discretisation = fv2});
  const CycleReport report = multigrid->solve(Exec(), Cycle::v, 0, 1e-10, 2);
  EXPECT_EQ(report.norms.size(), 2U);
  EXPECT_FALSE(report.converged);
}

TEST(Cycles, OfARightHandSideOfZeroTheSolutionIsZero) {
  const auto multigrid = benchmark(8, 1, {.discretisation = fv4});
  for (std::size_t l = 0; l < multigrid->num_levels(); ++l) Kokkos::deep_copy(multigrid->level(l).f, 0.0);
  const CycleReport report = multigrid->solve(Exec(), Cycle::fv);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.norms.back(), 0);
  EXPECT_EQ(max_norm(Exec(), multigrid->level(0), multigrid->level(0).u), 0);
}

TEST(Multigrid, RefusesSeveralRanksAndTooMuchMemory) {
  const Exec exec;
  EXPECT_THROW(Multigrid<Exec>(exec, make_hierarchy(2, 8, 2, 2, 0), {}), ArgumentError);
  EXPECT_THROW(Multigrid<Exec>(exec, make_hierarchy(2, 1 << 14, 2), {}), MemoryError);
  EXPECT_THROW(Multigrid<Exec>(exec, {}, {}), ArgumentError);
}

TEST(PhaseTimes, CountPhasesOfEachLevel) {
  const auto multigrid = benchmark(8, 1, {.discretisation = fv4, .one_kernel_cells = 0});
  PhaseTimes times(multigrid->num_levels());
  multigrid->count_times(&times);
  multigrid->solve(Exec(), Cycle::f);
  multigrid->count_times(nullptr);
  const std::size_t last = multigrid->num_levels() - 1;
  for (const Phase phase :
       {Phase::smooth, Phase::residual, Phase::exchange, Phase::restriction, Phase::interpolation}) {
    EXPECT_GT(times.of(0, phase), 0) << to_string(phase);
    if (phase != Phase::exchange) {
      EXPECT_EQ(times.of(last, phase), 0) << to_string(phase);
    }
  }
  EXPECT_GT(times.of(last, Phase::bottom), 0);
  EXPECT_EQ(times.of(0, Phase::bottom), 0);
}

}  // namespace
}  // namespace ashlar::testing
