#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "levels.hpp"

// A level in plain loops, written after the benchmark's description: one array of all cells, no boxes, no kernels. It
// has two layers of cells beyond the domain, which follow polynomials through the averages of the cells within.

namespace ashlar::testing {

/// Numbers by cell, from two cells before the domain to two beyond it.
class PlainCells {
 public:
  explicit PlainCells(int n = 0) : n_(n), x_(std::size_t((n + 4) * (n + 4) * (n + 4))) {}

  double& operator()(int i, int j, int k) { return x_[std::size_t(i + 2 + (n_ + 4) * (j + 2 + (n_ + 4) * (k + 2)))]; }
  double& operator()(const Index3& c) { return (*this)(c[0], c[1], c[2]); }
  double operator()(const Index3& c) const { return const_cast<PlainCells&>(*this)(c); }

 private:
  int n_;
  std::vector<double> x_;
};

inline Index3 moved(Index3 cell, int d, int by) {
  cell[d] += by;
  return cell;
}

/// Calls visit(cell) for all from first to last in each direction.
template <class Visit>
void for_cells(int first, int last, const Visit& visit) {
  for (int k = first; k <= last; ++k) {
    for (int j = first; j <= last; ++j) {
      for (int i = first; i <= last; ++i) visit(Index3{i, j, k});
    }
  }
}

/// A line of cells beyond either end of the domain, in one direction, from those next to it: x1 is the first within.
inline void extend_line(PlainCells& x, const Index3& cell, int d, int n, BoundaryOrder order) {
  for (const bool is_low : {true, false}) {
    const auto at = [&](int depth) -> double& {  // 1, 2, ... within; -1, -2 beyond
      Index3 place = cell;
      const int from_low = depth > 0 ? depth - 1 : depth;
      place[d] = is_low ? from_low : n - 1 - from_low;
      return x(place);
    };
    at(-2) = 0;
    if (order == BoundaryOrder::linear) {
      at(-1) = -at(1);
    } else if (order == BoundaryOrder::quadratic) {
      at(-1) = (-5 * at(1) + at(2)) / 2;
    } else {
      at(-1) = (-77 * at(1) + 43 * at(2) - 17 * at(3) + 3 * at(4)) / 12;
      at(-2) = (-505 * at(1) + 335 * at(2) - 145 * at(3) + 27 * at(4)) / 12;
    }
  }
}

/// One direction after the other, so that edges and corners are products.
inline void extend(PlainCells& x, int n, BoundaryOrder order) {
  for (int d = 0; d < 3; ++d) {
    for (int b = -2; b < n + 2; ++b) {
      for (int a = -2; a < n + 2; ++a) {
        Index3 cell{};
        cell[(d + 1) % 3] = a;
        cell[(d + 2) % 3] = b;
        // Directions that are still to come have nothing beyond the domain yet.
        bool is_there = true;
        for (int e = d + 1; e < 3; ++e) is_there = is_there && cell[e] >= 0 && cell[e] < n;
        if (is_there) extend_line(x, cell, d, n, order);
      }
    }
  }
}

struct PlainLevel {
  Discretisation kind;
  int n, box_dim;
  PlainCells x, f, inverse_diagonal, alpha;
  std::array<PlainCells, 3> beta;  // of the low faces of cells, and at n those at the domain's end

  PlainLevel(Discretisation discretisation, int cells_per_dim, int cells_of_box)
      : kind(discretisation),
        n(cells_per_dim),
        box_dim(cells_of_box),
        x(n),
        f(n),
        inverse_diagonal(n),
        alpha(n),
        beta{PlainCells(n), PlainCells(n), PlainCells(n)} {}

  BoundaryOrder order() const {
    const bool is_quartic = kind == fv4 && box_dim >= 4;
    return box_dim < 2 ? BoundaryOrder::linear : is_quartic ? BoundaryOrder::quartic : BoundaryOrder::quadratic;
  }

  /// Faces beyond the domain, along which a face on its boundary compares coefficients: by extrapolation.
  void extend_beta() {
    const std::vector<double> weights = box_dim >= 5   ? std::vector<double>{5, -10, 10, -5, 1}
                                        : box_dim == 4 ? std::vector<double>{4, -6, 4, -1}
                                                       : std::vector<double>{2, -1};
    for (int d = 0; d < 3; ++d) {
      for (const int t : {(d + 1) % 3, (d + 2) % 3}) {
        const int u = 3 - d - t;
        for (int at_d = 0; at_d <= n; ++at_d) {
          for (int at_u = 0; at_u < n; ++at_u) {
            Index3 face{};
            face[d] = at_d;
            face[u] = at_u;
            double low = 0, high = 0;
            for (std::size_t w = 0; w < weights.size(); ++w) {
              low += weights[w] * beta[std::size_t(d)](moved(face, t, int(w)));
              high += weights[w] * beta[std::size_t(d)](moved(face, t, n - 1 - int(w)));
            }
            beta[std::size_t(d)](moved(face, t, -1)) = low;
            beta[std::size_t(d)](moved(face, t, n)) = high;
          }
        }
      }
    }
  }

  /// What flows into a cell through its face in the direction d, low (-1) or high (1), over b / h^2.
  double flux(const Index3& cell, int d, int side) const {
    const Index3 face = side < 0 ? cell : moved(cell, d, 1), next = moved(cell, d, side);
    const PlainCells& of_d = beta[std::size_t(d)];
    if (kind == fv2) return of_d(face) * (x(next) - x(cell));
    double sum = of_d(face) * (15 * (x(next) - x(cell)) - (x(moved(next, d, side)) - x(moved(cell, d, -side)))) / 12;
    for (int t = 0; t < 3; ++t) {
      if (t == d) continue;
      const double beta_changes = of_d(moved(face, t, 1)) - of_d(moved(face, t, -1));
      const double after = x(moved(next, t, 1)) - x(moved(cell, t, 1));
      const double before = x(moved(next, t, -1)) - x(moved(cell, t, -1));
      sum += beta_changes * (after - before) / 48;
    }
    return sum;
  }

  /// A x at a cell, what lies beyond the domain having been extended.
  double applied(const Index3& cell) const {
    double fluxes = 0;
    for (int d = 0; d < 3; ++d) fluxes += flux(cell, d, -1) + flux(cell, d, 1);
    return alpha(cell) * x(cell) - double(n) * n * fluxes;
  }

  PlainCells applied() {
    extend(x, n, order());
    PlainCells result(n);
    for_cells(0, n - 1, [&](const Index3& c) { result(c) = applied(c); });
    return result;
  }

  /// Cells with i + j + k + colour even, each from what all were before.
  void relax(int colour) {
    const PlainCells ax = applied();
    for_cells(0, n - 1, [&](const Index3& c) {
      if ((c[0] + c[1] + c[2] + colour) % 2 == 0) x(c) += inverse_diagonal(c) * (f(c) - ax(c));
    });
  }
};

/// A level and its like in plain loops, with the same random numbers. What the library has to fill, or may not read, is
/// NaN.
struct RandomTwins {
  Level<Exec> level;
  PlainLevel plain;

  RandomTwins(Discretisation kind, Equation equation, int boxes, int box_dim, unsigned seed = 1)
      : level(Exec(), BoxGrid(boxes, box_dim), kind, equation, 0), plain(kind, boxes * box_dim, box_dim) {
    const double n = plain.n;
    std::mt19937 bits(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto set = [&](PlainCells& cells, const BoxVector& vector, double middle, double width) {
      for_cells(0, plain.n - 1, [&](const Index3& c) { cells(c) = middle + width * number(bits); });
      HostVector(level, vector).fill([&](int i, int j, int k) { return cells(i, j, k); }, std::nan(""));
    };
    set(plain.x, level.u, 0, 1);
    set(plain.f, level.f, 0, n * n);
    set(plain.inverse_diagonal, level.inverse_diagonal, 0.1 / (n * n), 0.05 / (n * n));
    if (equation == Equation::helmholtz) set(plain.alpha, level.alpha, n * n, n * n / 2);
    for (int d = 0; d < 3; ++d) {
      PlainCells& beta = plain.beta[std::size_t(d)];
      set(beta, level.beta[d], 1, 0.5);
      HostVector faces(level, level.beta[d]);
      for_cells(0, plain.n - 1, [&](const Index3& c) {
        if (c[d] > 0) return;
        const Index3 face = moved(c, d, plain.n), place{c[0] / box_dim, c[1] / box_dim, c[2] / box_dim};
        beta(face) = 1 + 0.5 * number(bits);
        Index3 of_box{c[0] % box_dim, c[1] % box_dim, c[2] % box_dim};
        of_box[d] = box_dim;
        faces.in_box(level.grid.box_at(moved(place, d, boxes - 1)), of_box[0], of_box[1], of_box[2]) = beta(face);
      });
      faces.to_device();
    }
    plain.extend_beta();
    fill_coefficient_ghosts(Exec(), level);
    for (const BoxVector& vector : {level.temp, level.r}) Kokkos::deep_copy(vector, std::nan(""));
  }

  /// The largest difference over the largest number of `wanted`; infinity where one is no number.
  double difference(const BoxVector& found, const PlainCells& wanted) const {
    HostVector cells(level, found);
    double worst = 0, largest = 0;
    for_cells(0, plain.n - 1, [&](const Index3& c) {
      const double off = std::abs(cells(c[0], c[1], c[2]) - wanted(c));
      worst = larger(worst, off);
      largest = std::max(largest, std::abs(wanted(c)));
    });
    return worst / largest;
  }
};

}  // namespace ashlar::testing
