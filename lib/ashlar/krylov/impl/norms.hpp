#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cmath>
#include <limits>

// Norms over all parts, on the host.

namespace ashlar::impl {

/// The first `count` sums over the local part become sums over all parts, and come to the host. Waits for `exec`.
template <int count, class Exec, class Space, class Memory>
std::array<double, count> sums_on_host(const Exec& exec, const Space& space, const Memory& memory) {
  sum_over_parts(exec, space, memory.sums_from(0, count));
  std::array<double, count> sums{};
  Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(sums.data(), count), memory.sums_from(0, count));
  exec.fence("ashlar::krylov: sums");
  check_device_work(space);
  return sums;
}

/// ||v||, over all parts. Waits for `exec`.
template <class Exec, class Space, class Memory, class V>
double global_norm(const Exec& exec, const Space& space, const Memory& memory, const V& v) {
  dot(exec, v, v, memory.team_sums.access(), memory.sums.data());
  return std::sqrt(sums_on_host<1>(exec, space, memory)[0]);
}

/// A right-hand side in the three norms by which a solve may be judged.
struct RightHandSideNorms {
  double unpreconditioned = 0, preconditioned = 0, natural = 0;

  double in(ResidualNorm norm) const {
    return norm == ResidualNorm::unpreconditioned ? unpreconditioned
           : norm == ResidualNorm::preconditioned ? preconditioned
                                                  : natural;
  }
};

}  // namespace ashlar::impl

// Solvers work on scale*b and scale*x, with a power of two that makes ||b|| about 1: then no square of a residual
// underflows or overflows, whatever the units of b. A power of two changes no bit of any other number, so results are
// the same as without it.

namespace ashlar::impl {

/// A vector of the caller's, as it is multiplied.
template <class V>
struct ScaledVector {
  V vector;
  double scale = 1;
};

/// The exponent of the largest entry, in any part of the system; `lowest` if all entries are 0 or not finite.
/// Collective; waits for `exec`.
template <class Exec, class Space, class V>
int largest_exponent(const Exec& exec, const Space& space, const V& v, int lowest) {
  const double largest = double(norm_inf(exec, v));
  return space.agree_max(is_finite(largest) && largest > 0 ? std::ilogb(largest) : lowest);
}

/// The power of two that makes ||b|| about 1, given that norm, whose squares may have underflowed or overflowed; 0 if b
/// is 0, 1 if it is not finite. Collective; waits for `exec`.
template <class Exec, class Space, class B>
double scale_of_right_hand_side(const Exec& exec, const Space& space, const B& b, double norm) {
  using Real = real_t<typename B::non_const_value_type>;
  constexpr int most = std::numeric_limits<Real>::max_exponent - 2, lowest = -std::numeric_limits<int>::max();
  constexpr double smallest_safe = 1e-140, largest_safe = 1e140;
  int exponent = 0;
  if (is_finite(norm) && norm > smallest_safe && norm < largest_safe) {
    exponent = std::ilogb(norm);
  } else {
    exponent = largest_exponent(exec, space, b, lowest);
    if (exponent == lowest) return is_finite(norm) && norm == 0 ? 0 : 1;
  }
  return std::ldexp(1.0, std::clamp(-exponent, -most, most));
}

/// x := factor*x; nothing is enqueued for a factor of 1.
template <class Exec, class X>
void scale_vector(const Exec& exec, const X& x, double factor) {
  using Scalar = typename X::non_const_value_type;
  if (factor != 1) axpby(exec, Scalar(real_t<Scalar>(factor)), x, 0, x);
}

/// True if the largest entry of x/scale is a number that its type holds to full precision. Collective; waits for
/// `exec`.
template <class Exec, class Space, class X>
bool is_representable(const Exec& exec, const Space& space, const X& x, double scale) {
  using Limits = std::numeric_limits<real_t<typename X::non_const_value_type>>;
  if (scale == 1) return true;
  constexpr int lowest = -std::numeric_limits<int>::max();
  const int exponent = largest_exponent(exec, space, x, lowest);
  if (exponent == lowest) return true;
  const int of_result = exponent - std::ilogb(scale);
  return of_result < Limits::max_exponent && of_result >= Limits::min_exponent - 1;
}

}  // namespace ashlar::impl
