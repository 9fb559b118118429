// Whole solves with an alpha other than 1, and a beta of another size.
#include <gmock/gmock.h>

#include <array>
#include <ashlar/multigrid/operator.hpp>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plain_level.hpp"

namespace ashlar::testing {
namespace {

using Point = std::array<double, 3>;

/// The average over a box of these widths by Gauss' rule of three points.
template <class Function>
double average(const Point& low, const Point& widths, const Function& function) {
  const double points[3] = {0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)}, weights[3] = {5, 8, 5};
  double sum = 0;
  for_cells(0, 2, [&](const Index3& p) {
    Point at;
    for (std::size_t d = 0; d < 3; ++d) at[d] = low[d] + widths[d] * points[p[int(d)]];
    sum += weights[p[0]] * weights[p[1]] * weights[p[2]] * function(at);
  });
  return sum / (18 * 18 * 18);
}

/// A multigrid of 8 boxes, the finest level of which has its twin in plain loops.
struct Problem {
  Multigrid<Exec> multigrid;
  PlainLevel plain;

  Problem(const MultigridOptions& options, int n)
      : multigrid(Exec(), make_hierarchy(2, n / 2, reach_of(options.discretisation)), options),
        plain(options.discretisation, n, n / 2) {}

  /// Averages of alpha(point), beta(point) and f(point).
  template <class Alpha, class Beta, class F>
  void set(const Alpha& alpha, const Beta& beta, const F& f) {
    const Level<Exec>& level = multigrid.level(0);
    const int n = plain.n, dim = plain.box_dim;
    const double h = 1. / n;
    const auto low = [h](const Index3& c) { return Point{c[0] * h, c[1] * h, c[2] * h}; };
    const auto set_cells = [&](PlainCells& cells, const BoxVector& vector, const auto& value) {
      for_cells(0, n - 1, [&](const Index3& c) { cells(c) = average(low(c), {h, h, h}, value); });
      HostVector(level, vector).fill([&](int i, int j, int k) { return cells(i, j, k); });
    };
    set_cells(plain.f, level.f, f);
    set_cells(plain.alpha, level.alpha, alpha);
    for (int d = 0; d < 3; ++d) {
      Point widths{h, h, h};
      widths[std::size_t(d)] = 0;
      PlainCells& faces = plain.beta[std::size_t(d)];
      HostVector of_boxes(level, level.beta[d]);
      for_cells(0, n, [&](const Index3& c) {
        for (int e = 0; e < 3; ++e) {
          if (e != d && c[e] == n) return;
        }
        faces(c) = average(low(c), widths, beta);
        Index3 place{c[0] / dim, c[1] / dim, c[2] / dim};
        if (c[d] == n) place[d] = 1;
        of_boxes.in_box(level.grid.box_at(place), c[0] - dim * place[0], c[1] - dim * place[1], c[2] - dim * place[2]) =
            faces(c);
      });
      of_boxes.to_device();
    }
    plain.extend_beta();
    multigrid.set_up(Exec());
  }

  /// max |f - A u| in plain loops.
  double residual_of_solution() {
    HostVector u(multigrid.level(0), multigrid.level(0).u);
    for_cells(0, plain.n - 1, [&](const Index3& c) { plain.x(c) = u(c[0], c[1], c[2]); });
    const PlainCells ax = plain.applied();
    double largest = 0;
    for_cells(0, plain.n - 1, [&](const Index3& c) {
      const double off = std::abs(plain.f(c) - ax(c));
      largest = larger(largest, off);
    });
    return largest;
  }
};

constexpr double wave = 2 * std::numbers::pi;

double sines(const Point& at) { return std::sin(wave * at[0]) * std::sin(wave * at[1]) * std::sin(wave * at[2]); }

/// The largest error where u is a product of sines, alpha is constant, and beta = scale (1 + u / 4).
double error_of(const MultigridOptions& options, double alpha, double scale, int n) {
  Problem problem(options, n);
  problem.set([&](const Point&) { return alpha; }, [&](const Point& at) { return scale * (1 + 0.25 * sines(at)); },
              [&](const Point& at) {
                double slopes = 0;
                for (std::size_t d = 0; d < 3; ++d) {
                  double slope = wave;
                  for (std::size_t e = 0; e < 3; ++e) slope *= e == d ? std::cos(wave * at[e]) : std::sin(wave * at[e]);
                  slopes += slope * slope;
                }
                const double u = sines(at);
                return alpha * u + scale * (3 * wave * wave * u * (1 + 0.25 * u) - 0.25 * slopes);
              });
  EXPECT_TRUE(problem.multigrid.solve(Exec(), Cycle::fv).converged);
  HostVector found(problem.multigrid.level(0), problem.multigrid.level(0).u);
  const double h = 1. / n;
  double worst = 0;
  for_cells(0, n - 1, [&](const Index3& c) {
    const double off = std::abs(found(c[0], c[1], c[2]) - average({c[0] * h, c[1] * h, c[2] * h}, {h, h, h}, sines));
    worst = larger(worst, off);
  });
  return worst;
}

class CoefficientsOfSize : public ::testing::TestWithParam<std::tuple<Discretisation, std::pair<double, double>>> {};

TEST_P(CoefficientsOfSize, LeaveTheOrder) {
  const auto& [kind, sizes] = GetParam();
  const MultigridOptions options{.discretisation = kind, .equation = Equation::helmholtz};
  const double coarse = error_of(options, sizes.first, sizes.second, 16),
               fine = error_of(options, sizes.first, sizes.second, 32);
  EXPECT_NEAR(std::log2(coarse / fine), kind == fv2 ? 2 : 4, 0.3);
  EXPECT_LT(fine, kind == fv2 ? 0.02 : 1e-3);
}

// Alpha, and what beta is scaled by: the first is little more than a product with alpha, the last hardly knows of it.
INSTANTIATE_TEST_SUITE_P(AlphaAndBeta, CoefficientsOfSize,
                         ::testing::Combine(::testing::Values(fv2, fv4),
                                            ::testing::Values(std::pair{40., 0.1}, std::pair{1000., 3.},
                                                              std::pair{0.5, 1e4})));

TEST(Coefficients, ThatVaryAreSolvedWithEachSmoother) {
  const auto alpha = [](const Point& at) { return 500 * (1 + at[0]) * (1.5 + std::sin(9 * at[1] - 4 * at[2])); };
  const auto beta = [](const Point& at) { return 0.02 * (1.2 + std::cos(3 * at[0] + at[1] * at[2])); };
  const auto f = [](const Point& at) { return at[0] + std::sin(20 * at[1]) * std::cos(7 * at[2]); };
  for (const Discretisation kind : {fv2, fv4}) {
    for (const Smoother smoother : {Smoother::gsrb, Smoother::chebyshev, Smoother::jacobi}) {
      const std::string where = std::string(to_string(kind)) + ", " + std::string(to_string(smoother));
      Problem problem({.discretisation = kind, .equation = Equation::helmholtz, .smoother = smoother}, 16);
      problem.set(alpha, beta, f);
      const CycleReport report = problem.multigrid.solve(Exec(), Cycle::fv);
      EXPECT_TRUE(report.converged) << where;
      EXPECT_LE(report.norms.size(), 12U) << where;
      // The residual of one that has converged is rounding, and so is what it differs by.
      EXPECT_NEAR(problem.residual_of_solution(), report.norms.back(), 1e-12 * report.norm_of_f) << where;
      const CycleReport once = problem.multigrid.solve(Exec(), Cycle::f);
      EXPECT_NEAR(problem.residual_of_solution(), once.norms.back(), 1e-12 * once.norm_of_f) << where;
    }
  }
}

/// On each coarser level alpha is the mean of eight.
TEST(Coefficients, AreRestrictedToAllLevels) {
  Problem problem({.discretisation = fv4, .equation = Equation::helmholtz}, 16);
  problem.set([](const Point& at) { return 1 + at[0] + 10 * at[1] * at[2]; }, [](const Point&) { return 1; },
              [](const Point&) { return 1; });
  const Multigrid<Exec>& multigrid = problem.multigrid;
  ASSERT_EQ(multigrid.num_levels(), 4U);
  for (std::size_t l = 1; l < 4; ++l) {
    const Level<Exec>& level = multigrid.level(l);
    HostVector fine(multigrid.level(l - 1), multigrid.level(l - 1).alpha), coarse(level, level.alpha);
    for_cells(0, level.grid.cells_per_dim() - 1, [&](const Index3& c) {
      double sum = 0;
      for_cells(0, 1, [&](const Index3& b) { sum += fine(2 * c[0] + b[0], 2 * c[1] + b[1], 2 * c[2] + b[2]); });
      EXPECT_NEAR(coarse(c[0], c[1], c[2]), sum / 8, 1e-13);
    });
  }
}

}  // namespace
}  // namespace ashlar::testing
