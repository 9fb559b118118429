#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/blas1/impl/entries.hpp>
#include <ashlar/device/for_entries.hpp>
#include <type_traits>

namespace ashlar {

/// y := alpha*x + beta*y
///
/// Shapes   x and y of one length.
/// Memory   both reachable from `exec`.
/// Async    enqueued on `exec`; no fence, no allocation.
/// beta==0  y is overwritten: NaN in y does not spread.
/// Traffic  |x| + |y|*(1 + [beta!=0]) bytes.
/// Throws   ShapeError.
template <execution_space Exec, vector_view X, vector_view Y>
void axpby(const Exec& exec, const std::type_identity_t<typename X::non_const_value_type> alpha, const X& x,
           const std::type_identity_t<typename X::non_const_value_type> beta, const Y& y) {
  using Scalar = typename X::non_const_value_type;
  static_assert(std::is_same_v<Scalar, typename Y::value_type>,
                "ashlar::axpby: y must be writable and of the type of x");
  static_assert(reachable_from<Exec, X> && reachable_from<Exec, Y>,
                "ashlar::axpby: x and y must be reachable from the execution space");
  impl::check_same_length("axpby", x, y);
  for_entries(
      "ashlar::axpby", exec, x.extent(0),
      KOKKOS_LAMBDA(std::int64_t i) { y(i) = beta == Scalar(0) ? alpha * x(i) : alpha * x(i) + beta * y(i); });
}

}  // namespace ashlar
