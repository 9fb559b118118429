#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace ashlar {

/// Two products that test an operator's symmetry: x^H (A y) and y^H (A x) are conjugates if A is Hermitian.
struct SymmetryOfProducts {
  double x_ay = 0, y_ax = 0;  ///< the real parts, which are equal for a Hermitian operator
  double magnitude = 0;       ///< ||x|| * ||A y||

  /// True if they differ by no more than `tolerance` of their magnitude.
  bool is_symmetric(double tolerance) const {
    return is_finite(magnitude) && is_finite(x_ay - y_ax) && std::abs(x_ay - y_ax) <= tolerance * magnitude;
  }
};

namespace impl {

/// Scalar i of the pseudo-random sequence; a complex scalar takes two numbers.
template <class Scalar>
KOKKOS_INLINE_FUNCTION Scalar pseudo_random_scalar(std::uint64_t i) {
  using Real = real_t<Scalar>;
  if constexpr (is_complex_v<Scalar>) {
    return Scalar(Real(pseudo_random(2 * i)), Real(pseudo_random(2 * i + 1)));
  } else {
    return Real(pseudo_random(2 * i));
  }
}

template <class Exec, class V>
void fill_with_pseudo_random_numbers(const Exec& exec, const V& v, std::uint64_t first) {
  using Scalar = typename V::non_const_value_type;
  Kokkos::parallel_for(
      "ashlar::symmetry_of_products[fill]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(v.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { v(i) = pseudo_random_scalar<Scalar>(first + std::uint64_t(i)); });
}

}  // namespace impl

/// Multiplies two pseudo-random vectors, for matrices whose entries cannot be compared one by one: of an operator, in a
/// file, on other ranks. It finds no difference that drowns in the rounding of a whole product.
///
/// `first_row` is the number of this part's first row, of num_global() in all: then the numbers do not depend on how
/// rows are distributed.
///
/// Memory   two vectors of num_local() entries, for as long as it runs; nothing is returned if some part of the system
///          has no room for them.
/// Async    collective; waits for `exec`.
template <class Scalar, execution_space Exec, class Op>
std::optional<SymmetryOfProducts> symmetry_of_products(const Exec& exec, const Op& a, std::int64_t first_row = 0) {
  using Vector = Kokkos::View<Scalar*, typename Exec::memory_space>;
  const auto space = a.space();
  const auto n = std::size_t(space.num_local());
  Vector v, av;
  Kokkos::View<double*, typename Exec::memory_space> sums;
  bool has_room = true;
  try {
    v = Vector(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::symmetry_of_products::v"), n);
    av = Vector(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::symmetry_of_products::av"), n);
    sums = decltype(sums)(Kokkos::view_alloc(exec, "ashlar::symmetry_of_products::sums"), 4);
  } catch (const std::runtime_error&) {
    has_room = false;
  }
  if (space.agree_max(has_room ? 0 : 1) > 0) return std::nullopt;

  const std::uint64_t first_of_x(first_row), apart(space.num_global());
  const auto sum = [&](int k) { return Kokkos::subview(sums, k); };
  impl::fill_with_pseudo_random_numbers(exec, v, first_of_x);  // x
  a.apply(exec, v, av);
  dot(exec, v, v, sum(2));
  impl::fill_with_pseudo_random_numbers(exec, v, first_of_x + apart);  // y
  dot(exec, v, av, sum(1));
  a.apply(exec, v, av);
  dot(exec, av, av, sum(3));
  impl::fill_with_pseudo_random_numbers(exec, v, first_of_x);
  dot(exec, v, av, sum(0));
  space.sum_begin(exec, sums);
  space.sum_end(exec, sums);
  std::array<double, 4> host{};
  Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(host.data(), 4), sums);
  exec.fence("ashlar::symmetry_of_products: sums");
  check_device_work(a);
  check_device_work(space);
  return SymmetryOfProducts{host[0], host[1], std::sqrt(host[2]) * std::sqrt(host[3])};
}

}  // namespace ashlar
