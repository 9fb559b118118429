// The parts of a cycle, each against something worked out otherwise.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <ashlar/multigrid/transfer.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "levels.hpp"

namespace ashlar::testing {
namespace {

/// A polynomial, and its averages over cells.
struct Polynomial {
  std::vector<double> coefficients;  // of 1, x, x^2, ...

  /// Over cell i of width h.
  double average(int i, double h) const {
    double sum = 0;
    for (std::size_t p = 0; p < coefficients.size(); ++p) {
      const double power = double(p) + 1;
      sum += coefficients[p] * (std::pow((i + 1) * h, power) - std::pow(i * h, power)) / power;
    }
    return sum / h;
  }
};

// They vanish at 0 and 1, and are of the degrees that the boundary conditions take.
const Polynomial linear{{0, 1}};  // at 0 alone
const Polynomial quadratic{{0, 1, -1}};
const Polynomial quartic{{0, 2, -1, 2, -3}};

TEST(Boundary, ExtendsPolynomialsInAllDirectionsAtOnce) {
  const Exec exec;
  for (const auto& [order, polynomial, depth] :
       {std::tuple{BoundaryOrder::quadratic, quadratic, 1}, {BoundaryOrder::quartic, quartic, 2}}) {
    for (const auto& [boxes, dim] : {std::pair{1, 4}, {2, 6}}) {
      const Level<Exec> level = one_level(boxes, dim);
      const double h = level.grid.cell_width();
      const auto value = [&](int i, int j, int k) {
        return polynomial.average(i, h) * polynomial.average(j, h) * polynomial.average(k, h);
      };
      HostVector(level, level.u).fill(value);
      level.fill_for_interpolation(exec, level.u, order);
      exec.fence();
      HostVector found(level, level.u);
      for (int box = 0; box < level.num_boxes(); ++box) {
        const Index3& place = level.grid.place(box);
        double worst = 0, deepest = 0;
        for (int k = -2; k < dim + 2; ++k) {
          for (int j = -2; j < dim + 2; ++j) {
            for (int i = -2; i < dim + 2; ++i) {
              const int all[3] = {place[0] * dim + i, place[1] * dim + j, place[2] * dim + k};
              int beyond = 0;
              for (const int x : all) beyond = std::max({beyond, -x, x - boxes * dim + 1});
              const double cell = found.in_box(box, i, j, k);
              if (beyond <= depth) {
                worst = std::max(worst, std::abs(cell - value(all[0], all[1], all[2])));
              } else {
                deepest = std::max(deepest, std::abs(cell));
              }
            }
          }
        }
        EXPECT_LT(worst, 2e-11) << "order " << int(order) << ", box " << box;
        EXPECT_EQ(deepest, 0) << "what no polynomial is used for is 0";
      }
    }
  }
}

TEST(Boundary, SmallBoxesTakeALowerOrder) {
  EXPECT_EQ(boundary_order(BoundaryOrder::quartic, 4), BoundaryOrder::quartic);
  EXPECT_EQ(boundary_order(BoundaryOrder::quartic, 3), BoundaryOrder::quadratic);
  EXPECT_EQ(boundary_order(BoundaryOrder::quadratic, 2), BoundaryOrder::quadratic);
  EXPECT_EQ(boundary_order(BoundaryOrder::quadratic, 1), BoundaryOrder::linear);
  const Exec exec;
  const Level<Exec> level = one_level(1, 1, Discretisation::fv2);
  HostVector(level, level.u).fill([](int, int, int) { return 3; });
  level.fill_for_interpolation(exec, level.u, BoundaryOrder::quadratic);
  exec.fence();
  HostVector found(level, level.u);
  EXPECT_EQ(found.in_box(0, -1, 0, 0), -3);
  EXPECT_EQ(found.in_box(0, 1, -1, 0), 3);
  EXPECT_EQ(found.in_box(0, 1, -1, 1), -3);
  EXPECT_NEAR(linear.average(-1, 1), -linear.average(0, 1), 1e-15);
}

TEST(Transfer, RestrictsToMeans) {
  const Exec exec;
  for (const auto& [fine_boxes, dim, coarse_boxes, coarse_dim] :
       {std::array{2, 8, 2, 4}, std::array{4, 4, 2, 4}, std::array{3, 2, 1, 3}, std::array{1, 2, 1, 1}}) {
    const Level<Exec> fine = one_level(fine_boxes, dim, Discretisation::fv2),
                      coarse = one_level(coarse_boxes, coarse_dim, Discretisation::fv2);
    const LevelTransfer<Exec> transfer(exec, fine, coarse);
    const int n = coarse.grid.cells_per_dim();
    const auto value = [](int i, int j, int k) { return i + 64 * j + 4096 * k + (i * j * k) % 8; };
    HostVector(fine, fine.u).fill(value);
    transfer.restrict_cells(exec, fine.u, coarse.u);
    exec.fence();
    HostVector cells(coarse, coarse.u);
    int wrong = 0;
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          double sum = 0;
          for (int c = 0; c < 8; ++c) sum += value(2 * i + c % 2, 2 * j + c / 2 % 2, 2 * k + c / 4);
          wrong += cells(i, j, k) != sum / 8;
        }
      }
    }
    EXPECT_EQ(wrong, 0) << fine_boxes << "^3 to " << coarse_boxes << "^3 boxes";

    // Faces normal to j, and those at the far end of each box.
    HostVector faces(fine, fine.beta[1]);
    for (int box = 0; box < fine.num_boxes(); ++box) {
      const Index3& place = fine.grid.place(box);
      for (int k = 0; k < dim; ++k) {
        for (int j = 0; j <= dim; ++j) {
          for (int i = 0; i < dim; ++i) {
            faces.in_box(box, i, j, k) = value(place[0] * dim + i, place[1] * dim + j, place[2] * dim + k);
          }
        }
      }
    }
    faces.to_device();
    transfer.restrict_faces(exec, 1, fine.beta[1], coarse.beta[1]);
    exec.fence();
    HostVector restricted(coarse, coarse.beta[1]);
    wrong = 0;
    for (int box = 0; box < coarse.num_boxes(); ++box) {
      const Index3& place = coarse.grid.place(box);
      for (int k = 0; k < coarse_dim; ++k) {
        for (int j = 0; j <= coarse_dim; ++j) {
          for (int i = 0; i < coarse_dim; ++i) {
            const int a = 2 * (place[0] * coarse_dim + i), b = 2 * (place[1] * coarse_dim + j),
                      c = 2 * (place[2] * coarse_dim + k);
            const double mean =
                0.25 * (value(a, b, c) + value(a + 1, b, c) + value(a, b, c + 1) + value(a + 1, b, c + 1));
            wrong += restricted.in_box(box, i, j, k) != mean;
          }
        }
      }
    }
    EXPECT_EQ(wrong, 0) << "faces, " << fine_boxes << "^3 to " << coarse_boxes << "^3 boxes";
  }
}

TEST(Transfer, InterpolatesPolynomialsExactly) {
  const Exec exec;
  for (const auto& [fine_boxes, dim, coarse_boxes, coarse_dim] : {std::array{2, 8, 2, 4}, std::array{2, 8, 1, 8}}) {
    const Level<Exec> fine = one_level(fine_boxes, dim), coarse = one_level(coarse_boxes, coarse_dim);
    const LevelTransfer<Exec> transfer(exec, fine, coarse);
    for (const auto order : {InterpolationOrder::quadratic, InterpolationOrder::quartic}) {
      const bool is_quartic = order == InterpolationOrder::quartic;
      const Polynomial& p = is_quartic ? quartic : quadratic;
      const auto value = [&](const Level<Exec>& level) {
        return [&p, h = level.grid.cell_width()](int i, int j, int k) {
          return p.average(i, h) * p.average(j, h) * p.average(k, h);
        };
      };
      HostVector(coarse, coarse.u).fill(value(coarse));
      coarse.fill_for_interpolation(exec, coarse.u, is_quartic ? BoundaryOrder::quartic : BoundaryOrder::quadratic);
      // What is overwritten may be anything.
      HostVector(fine, fine.u).fill([](int, int, int) { return std::numeric_limits<double>::quiet_NaN(); });
      transfer.interpolate(exec, order, false, coarse.u, fine.u);
      exec.fence();
      HostVector once(fine, fine.u);
      transfer.interpolate(exec, order, true, coarse.u, fine.u);
      exec.fence();
      HostVector twice(fine, fine.u);
      const auto wanted = value(fine);
      double worst = 0;
      for (int k = 0; k < 16; ++k) {
        for (int j = 0; j < 16; ++j) {
          for (int i = 0; i < 16; ++i) {
            const double cell = wanted(i, j, k);
            const double off = std::abs(once(i, j, k) - cell), off_twice = std::abs(twice(i, j, k) - 2 * cell);
            worst = larger(worst, off);
            worst = larger(worst, off_twice);
          }
        }
      }
      EXPECT_LT(worst, 1e-13) << "order " << int(order) << " to " << fine_boxes << "^3 boxes";
    }
  }
}

/// Integers beta and u, and a diagonal whose inverse is a power of 2: every operation is exact, whatever its order.
struct ExactProblem {
  Level<Exec> level;
  int n;

  explicit ExactProblem(int boxes, int dim) : level(one_level(boxes, dim, Discretisation::fv2)), n(boxes * dim) {
    // With h a power of 2.
    HostVector(level, level.u).fill([](int i, int j, int k) { return double((7 * i + 3 * j + 5 * k) % 11 - 5) * 64; });
    HostVector(level, level.f).fill([](int i, int j, int k) { return double((2 * i + j + 9 * k) % 7 - 3) * 4096; });
    HostVector(level, level.inverse_diagonal).fill([this](int, int, int) { return 1.0 / (8.0 * n * n); });
    for (int d = 0; d < 3; ++d) {
      HostVector(level, level.beta[d]).fill([d](int i, int j, int k) { return 1 + (i + 2 * j + 3 * k + d) % 2; }, 1);
    }
    fill_coefficient_ghosts(Exec(), level);
  }
};

TEST(GaussSeidel, CellsOfAColourInAnyOrderGiveTheSameBits) {
  const Exec exec;
  ExactProblem problem(2, 8);
  Level<Exec>& level = problem.level;
  const int n = problem.n;
  HostVector u(level, level.u), f(level, level.f);
  std::array<HostVector, 3> beta{HostVector(level, level.beta[0]), HostVector(level, level.beta[1]),
                                 HostVector(level, level.beta[2])};
  std::mt19937 random(1);
  std::vector<int> cells(std::size_t(n * n * n));
  for (std::size_t c = 0; c < cells.size(); ++c) cells[c] = int(c);
  BoxVector x = level.u, temp = level.temp;
  for (int colour = 0; colour < 4; ++colour) {
    std::shuffle(cells.begin(), cells.end(), random);
    for (const int c : cells) {
      const Index3 cell{c % n, c / n % n, c / (n * n)};
      if ((cell[0] + cell[1] + cell[2] + colour) % 2 != 0) continue;
      double fluxes = 0;
      for (int d = 0; d < 3; ++d) {
        for (const int step : {-1, 1}) {
          Index3 beside = cell, inner = cell;
          beside[d] += step;
          inner[d] -= step;
          // The domain's high faces were set to 1.
          const Index3& face = step < 0 ? cell : beside;
          const double of_face = face[d] < n ? beta[std::size_t(d)](face[0], face[1], face[2]) : 1;
          const double here = u(cell[0], cell[1], cell[2]);
          const double there = beside[d] >= 0 && beside[d] < n ? u(beside[0], beside[1], beside[2])
                                                               : -2.5 * here + 0.5 * u(inner[0], inner[1], inner[2]);
          fluxes += of_face * (there - here);
        }
      }
      const double residual = f(cell[0], cell[1], cell[2]) + double(n) * n * fluxes;
      u(cell[0], cell[1], cell[2]) += residual / (8.0 * n * n);
    }
    gauss_seidel_half_sweep(exec, level, x, temp, level.f, colour % 2);
    exec.fence();
    HostVector found(level, x);
    int wrong = 0;
    for (const int c : cells) wrong += found(c % n, c / n % n, c / (n * n)) != u(c % n, c / n % n, c / (n * n));
    EXPECT_EQ(wrong, 0) << "half-sweep " << colour;
  }
}

/// One smoothing of the benchmark's problem by apply() and plain loops.
TEST(Smoother, PolynomialsInPlainLoops) {
  const Exec exec;
  const auto multigrid = benchmark(8, 8, {.discretisation = Discretisation::fv4});
  const Level<Exec>& level = multigrid->level(0);
  const int n = level.grid.cells_per_dim();
  for (const Smoother smoother : {Smoother::jacobi, Smoother::chebyshev}) {
    Kokkos::deep_copy(level.u, 0.0);
    HostVector x(level, level.u), before(level, level.u), f(level, level.f), inverse(level, level.inverse_diagonal);
    const double upper = level.largest_eigenvalue, lower = upper / 8;
    const double middle = (upper + lower) / 2, ratio = middle / ((upper - lower) / 2);
    double rho = 1 / ratio;
    for (int s = 0; s < 6; ++s) {
      x.to_device();
      apply(exec, level, level.u, level.r);
      exec.fence();
      HostVector ax(level, level.r);
      double c1 = 0, c2 = 2. / 3;
      if (smoother == Smoother::chebyshev) {
        c2 = 1 / middle;
        if (s > 0) {
          const double next = 1 / (2 * ratio - rho);
          c1 = next * rho;
          c2 = 2 * next / ((upper - lower) / 2);
          rho = next;
        }
      }
      for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) {
          for (int i = 0; i < n; ++i) {
            const double here = x(i, j, k);
            x(i, j, k) += c1 * (here - before(i, j, k)) + c2 * inverse(i, j, k) * (f(i, j, k) - ax(i, j, k));
            before(i, j, k) = here;
          }
        }
      }
    }
    Kokkos::deep_copy(level.u, 0.0);
    Kokkos::deep_copy(level.temp, std::numeric_limits<double>::quiet_NaN());
    smooth(exec, level, smoother, level.u, level.f);
    exec.fence();
    HostVector found(level, level.u);
    double worst = 0, largest = 0;
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          const double off = std::abs(found(i, j, k) - x(i, j, k));
          worst = larger(worst, off);
          largest = std::max(largest, std::abs(x(i, j, k)));
        }
      }
    }
    EXPECT_LT(worst, 1e-13 * largest) << to_string(smoother);
    EXPECT_GT(largest, 0);
  }
}

/// A box that is wider and longer than the tiles that CPUs work in, beside small ones.
TEST(Operator, IsTheSameInLargeAndInSmallBoxes) {
  const Exec exec;
  std::vector<double> first;
  for (const auto& [boxes, dim] : {std::pair{1, 72}, {3, 24}, {9, 8}}) {
    const Level<Exec> level = one_level(boxes, dim);
    const int n = level.grid.cells_per_dim();
    set_benchmark_problem(exec, level);
    fill_coefficient_ghosts(exec, level);
    HostVector(level, level.u).fill([](int i, int j, int k) { return double((7 * i + 31 * j + 5 * k * k) % 101); });
    HostVector(level, level.inverse_diagonal).fill([n](int, int, int) { return 0.1 / (n * n); });
    apply(exec, level, level.u, level.r);
    BoxVector x = level.u, temp = level.temp;
    for (const int colour : {0, 1}) gauss_seidel_half_sweep(exec, level, x, temp, level.f, colour);
    exec.fence();
    HostVector product(level, level.r), swept(level, x);
    std::vector<double> numbers;
    for (int c = 0; c < n * n * n; ++c) {
      numbers.push_back(product(c % n, c / n % n, c / (n * n)));
      numbers.push_back(swept(c % n, c / n % n, c / (n * n)));
    }
    if (first.empty()) first = numbers;
    EXPECT_TRUE(numbers == first) << boxes << "^3 boxes of " << dim << "^3 cells";
  }
}

TEST(Operator, RefusesADiagonalThatIsNotPositive) {
  const Exec exec;
  Level<Exec> level = one_level(1, 4, Discretisation::fv2);
  for (const double beta : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    for (int d = 0; d < 3; ++d) Kokkos::deep_copy(level.beta[d], beta);
    EXPECT_THROW(find_diagonal(exec, level), NumericalError) << beta;
  }
}

TEST(Norm, SeesNaN) {
  const Exec exec;
  const Level<Exec> level = one_level(2, 4);
  HostVector(level, level.u).fill([](int i, int j, int k) { return i == 3 && j == 5 && k == 7 ? -8 : i; }, 1e9);
  EXPECT_EQ(max_norm(exec, level, level.u), 8);
  EXPECT_EQ(dot(exec, level, level.u, level.u), 8 * 8 * (0 + 1 + 4 + 9 + 16 + 25 + 36 + 49) - 9 + 64);
  HostVector(level, level.u).fill([](int i, int j, int k) { return i + j + k == 0 ? std::nan("") : 1; });
  EXPECT_TRUE(std::isinf(max_norm(exec, level, level.u)));
}

}  // namespace
}  // namespace ashlar::testing
