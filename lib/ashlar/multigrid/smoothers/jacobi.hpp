#pragma once

#include <ashlar/multigrid/smoothers/chebyshev.hpp>
#include <string_view>

namespace ashlar::multigrid {

/// Six sweeps of Jacobi with weight 2/3: x := x + 2/3 D^-1 (f - A x). It is its own adjoint.
struct Jacobi {
  static constexpr std::string_view name = "jacobi";
  static constexpr int num_sweeps = Chebyshev::num_sweeps;
  static constexpr int more_reads = 0;
  /// A sweep is a step of a polynomial.
  template <class Real>
  using Bodies = Chebyshev::Bodies<Real>;

  template <class Level, class Vector, class Sweep>
  static void for_each_sweep(const Level& level, const Vector& x, const Vector& f, SmoothingOrder, const Sweep& sweep) {
    Chebyshev::for_each_step(level, x, f, sweep, [](int) { return cycles::Chebyshev::Step{0, 2. / 3}; });
  }
};

}  // namespace ashlar::multigrid
