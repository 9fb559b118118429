#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/impl/conj_product.hpp>
#include <ashlar/blas1/impl/entries.hpp>
#include <ashlar/device/team_sums.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar {

/// result() := x^H y, the sum of conj(x_i) y_i; only its real part where the result is real and x and y are not.
///
/// A result of type double sums in double whatever x and y hold.
///
/// Shapes   x and y of one length; result of rank 0.
/// Memory   x and y reachable from `exec`, and so is the result: it stays on the device.
/// Async    enqueued on `exec`; no fence, no allocation once the instance has its scratch memory.
/// Traffic  |x| + |y| bytes.
/// Throws   ShapeError.
template <execution_space Exec, vector_view X, vector_view Y, class Result>
void dot(const Exec& exec, const X& x, const Y& y, const Result& result) {
  using Scalar = typename X::non_const_value_type;
  using Sum = typename Result::value_type;
  static_assert(std::is_same_v<Scalar, typename Y::non_const_value_type>, "ashlar::dot: x and y must be of one type");
  static_assert(Kokkos::is_view_v<Result> && Result::rank() == 0, "ashlar::dot: the result is a view of rank 0");
  static_assert(std::is_same_v<Sum, Scalar> || std::is_same_v<Sum, real_t<Scalar>> || std::is_same_v<Sum, double>,
                "ashlar::dot: the result is of the type of x, of its real type, or double");
  static_assert(reachable_from<Exec, X> && reachable_from<Exec, Y> && reachable_from<Exec, Result>,
                "ashlar::dot: x, y and the result must be reachable from the execution space");
  impl::check_same_length("dot", x, y);
  Kokkos::parallel_reduce(
      "ashlar::dot", impl::entries(exec, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, Sum & sum) { sum += impl::conj_product<Sum>(x(i), y(i)); }, result);
}

/// *result := x^H y, its real part, summed in double in scratch memory of the caller's: may be captured and replayed.
///
/// Memory   `result` points to what `exec` reaches; `sums` is nobody else's until this has ended.
/// Async    enqueued on `exec`; no fence, no allocation. Two runs give the same bits.
/// Traffic  |x| + |y| bytes.
/// Throws   ShapeError.
template <execution_space Exec, vector_view X, vector_view Y>
void dot(const Exec& exec, const X& x, const Y& y, const TeamSumsAccess& sums, double* result) {
  static_assert(reachable_from<Exec, X> && reachable_from<Exec, Y>,
                "ashlar::dot: x and y must be reachable from the execution space");
  impl::check_same_length("dot", x, y);
  sum_over_entries<1>(
      "ashlar::dot", exec, x.extent(0), sums, {result},
      KOKKOS_LAMBDA(std::int64_t i, double(&sum)[1]) { sum[0] += impl::conj_product<double>(x(i), y(i)); });
}

}  // namespace ashlar
