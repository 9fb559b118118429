// Operators, smoothers, diagonals and interpolation of random numbers against plain loops.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <ashlar/multigrid/transfer.hpp>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plain_level.hpp"

namespace ashlar::testing {
namespace {

/// Boxes in each direction and their cells: each has another order of what lies beyond the domain.
using Case = std::tuple<Discretisation, Equation, std::pair<int, int>>;

class PlainLoops : public ::testing::TestWithParam<Case> {
 protected:
  static RandomTwins twins() {
    const auto& [kind, equation, cut] = GetParam();
    return {kind, equation, cut.first, cut.second};
  }
};

/// The same in few cells.
class PlainMatrices : public PlainLoops {};

TEST_P(PlainLoops, HaveTheProductAndTheResidual) {
  const Exec exec;
  RandomTwins twins = PlainLoops::twins();
  const Level<Exec>& level = twins.level;
  const PlainCells ax = twins.plain.applied();
  apply(exec, level, level.u, level.r);
  residual(exec, level, level.u, level.f, level.temp);
  exec.fence();
  EXPECT_LT(twins.difference(level.r, ax), 1e-14);
  PlainCells of_f = twins.plain.f;
  for_cells(0, twins.plain.n - 1, [&](const Index3& c) { of_f(c) -= ax(c); });
  EXPECT_LT(twins.difference(level.temp, of_f), 1e-14);
}

TEST_P(PlainLoops, HaveHalfSweepsOfGaussSeidel) {
  const Exec exec;
  RandomTwins twins = PlainLoops::twins();
  const Level<Exec>& level = twins.level;
  BoxVector x = level.u, temp = level.temp;
  for (const int colour : {1, 0, 0}) {
    twins.plain.relax(colour);
    gauss_seidel_half_sweep(exec, level, x, temp, level.f, colour);
    exec.fence();
    EXPECT_LT(twins.difference(x, twins.plain.x), 1e-14) << colour;
  }
}

TEST_P(PlainLoops, HaveSmoothings) {
  const Exec exec;
  for (const Smoother smoother : {Smoother::gsrb, Smoother::chebyshev, Smoother::jacobi}) {
    RandomTwins twins = PlainLoops::twins();
    Level<Exec>& level = twins.level;
    PlainLevel& plain = twins.plain;
    level.largest_eigenvalue = 2.25;
    const double upper = 2.25, lower = upper / 8, middle = (upper + lower) / 2, ratio = middle / (upper - middle);
    PlainCells before = plain.x;
    double rho = 1 / ratio;
    for (int s = 0; s < 6; ++s) {
      if (smoother == Smoother::gsrb) {
        plain.relax(s % 2);
        continue;
      }
      double c1 = 0, c2 = 2. / 3;
      if (smoother == Smoother::chebyshev) {
        const double next = 1 / (2 * ratio - rho);
        c1 = s == 0 ? 0 : next * rho;
        c2 = s == 0 ? 1 / middle : 2 * next / (upper - middle);
        if (s > 0) rho = next;
      }
      const PlainCells ax = plain.applied();
      for_cells(0, plain.n - 1, [&](const Index3& c) {
        const double here = plain.x(c);
        plain.x(c) += c1 * (here - before(c)) + c2 * plain.inverse_diagonal(c) * (plain.f(c) - ax(c));
        before(c) = here;
      });
    }
    smooth(exec, level, smoother, level.u, level.f);
    exec.fence();
    EXPECT_LT(twins.difference(level.u, plain.x), 1e-13) << to_string(smoother);
  }
}

/// The matrix column by column: its diagonal, and of each row the sum over the colours that vectors of 0 and 1 have.
TEST_P(PlainMatrices, HaveTheDiagonalAndTheBoundOfEigenvalues) {
  const Exec exec;
  RandomTwins twins = PlainMatrices::twins();
  PlainLevel& plain = twins.plain;
  const int n = plain.n, colours = std::min(plain.kind == fv2 ? 2 : 4, n);
  const auto number = [&](const Index3& c, int of) {
    return std::size_t(c[0] % of + of * (c[1] % of + of * (c[2] % of)));
  };
  std::vector<std::vector<double>> sums(std::size_t(n * n * n), std::vector<double>(64));
  PlainCells inverse(n);
  for_cells(0, n - 1, [&](const Index3& column) {
    for_cells(0, n - 1, [&](const Index3& c) { plain.x(c) = 0; });
    plain.x(column) = 1;
    const PlainCells of_column = plain.applied();
    inverse(column) = 1 / of_column(column);
    for_cells(0, n - 1, [&](const Index3& c) { sums[number(c, n)][number(column, colours)] += of_column(c); });
  });
  double bound = 0;
  for_cells(0, n - 1, [&](const Index3& c) {
    double off_diagonal = 0;
    for (std::size_t of = 0; of < 64; ++of) {
      if (of != number(c, colours)) off_diagonal += std::abs(sums[number(c, n)][of]);
    }
    bound = std::max(bound, 1 + inverse(c) * off_diagonal);
  });
  find_diagonal(exec, twins.level);
  EXPECT_LT(twins.difference(twins.level.inverse_diagonal, inverse), 1e-13);
  EXPECT_NEAR(twins.level.largest_eigenvalue, bound, 1e-12);
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const auto& [kind, equation, cut] = info.param;
  return std::string(to_string(kind)) + "_" + std::string(to_string(equation)) + "_" + std::to_string(cut.first) + "x" +
         std::to_string(cut.second);
}

INSTANTIATE_TEST_SUITE_P(Levels, PlainLoops,
                         ::testing::Combine(::testing::Values(fv2, fv4),
                                            ::testing::Values(Equation::poisson, Equation::helmholtz),
                                            ::testing::Values(std::pair{2, 2}, std::pair{2, 3}, std::pair{2, 4},
                                                              std::pair{3, 5}, std::pair{2, 12})),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Levels, PlainMatrices,
                         ::testing::Combine(::testing::Values(fv2, fv4),
                                            ::testing::Values(Equation::poisson, Equation::helmholtz),
                                            ::testing::Values(std::pair{1, 2}, std::pair{2, 2}, std::pair{2, 3},
                                                              std::pair{2, 4}, std::pair{1, 7})),
                         name_of);

/// All ghost cells, corners too.
TEST(PlainLoopsOfGhosts, AreProductsBeyondTheDomain) {
  const Exec exec;
  for (const auto& [boxes, dim] : {std::pair{1, 4}, {2, 5}, {3, 2}, {2, 3}}) {
    for (const BoundaryOrder wanted : {BoundaryOrder::quadratic, BoundaryOrder::quartic}) {
      RandomTwins twins(fv4, Equation::poisson, boxes, dim);
      const Level<Exec>& level = twins.level;
      PlainCells& x = twins.plain.x;
      extend(x, twins.plain.n, dim < 4 ? BoundaryOrder::quadratic : wanted);
      level.fill_for_interpolation(exec, level.u, wanted);
      exec.fence();
      HostVector found(level, level.u);
      double worst = 0;
      for (int box = 0; box < level.num_boxes(); ++box) {
        const Index3& place = level.grid.place(box);
        for_cells(-2, dim + 1, [&](const Index3& c) {
          const double off = std::abs(found.in_box(box, c[0], c[1], c[2]) -
                                      x(place[0] * dim + c[0], place[1] * dim + c[1], place[2] * dim + c[2]));
          worst = larger(worst, off);
        });
      }
      // (42 + 28 + ...)^3 is what a deep corner multiplies by: 6e5.
      EXPECT_LT(worst, 1e-9) << boxes << "^3 boxes of " << dim << "^3, order " << int(wanted);
    }
  }
}

TEST(PlainLoopsOfTransfers, InterpolateRandomNumbers) {
  const Exec exec;
  const std::vector<double> quadratic{-1. / 8, 1, 1. / 8},
      quartic{3. / 128, -22. / 128, 1, 22. / 128, -3. / 128};  // for the fine cell that is the second one of two
  for (const auto& [fine_boxes, dim, coarse_boxes, coarse_dim] :
       {std::array{2, 4, 2, 2}, std::array{2, 8, 1, 8}, std::array{3, 4, 3, 2}, std::array{4, 4, 2, 4}}) {
    const RandomTwins fine(fv4, Equation::poisson, fine_boxes, dim, 2);
    for (const bool is_quartic : {false, true}) {
      RandomTwins coarse(fv4, Equation::poisson, coarse_boxes, coarse_dim, 3);
      const std::vector<double>& weights = is_quartic ? quartic : quadratic;
      const BoundaryOrder beyond = is_quartic ? BoundaryOrder::quartic : BoundaryOrder::quadratic;
      extend(coarse.plain.x, coarse.plain.n, is_quartic ? coarse.plain.order() : beyond);
      PlainCells wanted(fine.plain.n), sum = fine.plain.x;
      for_cells(0, fine.plain.n - 1, [&](const Index3& c) {
        const int reach = int(weights.size()) / 2;
        for_cells(-reach, reach, [&](const Index3& step) {
          double weight = 1;
          for (int d = 0; d < 3; ++d) weight *= weights[std::size_t(reach + (c[d] % 2 == 0 ? -step[d] : step[d]))];
          wanted(c) += weight * coarse.plain.x(c[0] / 2 + step[0], c[1] / 2 + step[1], c[2] / 2 + step[2]);
        });
        sum(c) += wanted(c);
      });
      const LevelTransfer<Exec> transfer(exec, fine.level, coarse.level);
      const auto order = is_quartic ? InterpolationOrder::quartic : InterpolationOrder::quadratic;
      coarse.level.fill_for_interpolation(exec, coarse.level.u, beyond);
      Kokkos::deep_copy(exec, fine.level.r, fine.level.u);
      transfer.interpolate(exec, order, true, coarse.level.u, fine.level.r);
      transfer.interpolate(exec, order, false, coarse.level.u, fine.level.temp);
      exec.fence();
      EXPECT_LT(fine.difference(fine.level.temp, wanted), 1e-13) << fine_boxes << " from " << coarse_boxes;
      EXPECT_LT(fine.difference(fine.level.r, sum), 1e-13) << fine_boxes << " from " << coarse_boxes;
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
