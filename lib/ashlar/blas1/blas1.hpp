#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/impl/entries.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <cstdint>
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

// dot() and norm2() have two forms each: the result stays on the device, or it is returned.

/// The type in which inner products are summed.
template <class Scalar>
using sum_t = std::conditional_t<is_complex_v<Scalar>, Kokkos::complex<double>, double>;

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

/// x^H y, summed in double.
///
/// Shapes   x and y of one length.
/// Memory   x and y reachable from `exec`.
/// Async    waits for `exec`.
/// Traffic  |x| + |y| bytes.
/// Throws   ShapeError.
template <execution_space Exec, vector_view X, vector_view Y>
sum_t<typename X::non_const_value_type> dot(const Exec& exec, const X& x, const Y& y) {
  using Scalar = typename X::non_const_value_type;
  using Sum = sum_t<Scalar>;
  static_assert(std::is_same_v<Scalar, typename Y::non_const_value_type>, "ashlar::dot: x and y must be of one type");
  static_assert(reachable_from<Exec, X> && reachable_from<Exec, Y>,
                "ashlar::dot: x and y must be reachable from the execution space");
  impl::check_same_length("dot", x, y);
  Sum result(0);
  Kokkos::parallel_reduce(
      "ashlar::dot", impl::entries(exec, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, Sum & sum) { sum += conj(Sum(x(i))) * Sum(y(i)); }, result);
  exec.fence("ashlar::dot: result");
  return result;
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

namespace impl {

/// ||x||_2; the square root is taken where the sum is.
template <class X, class Real>
struct Norm2 {
  using value_type = Real;

  X x;

  KOKKOS_FUNCTION void operator()(std::int64_t i, Real& sum) const { sum += conj_product<Real>(x(i), x(i)); }
  KOKKOS_FUNCTION void final(Real& sum) const { sum = Kokkos::sqrt(sum); }
};

}  // namespace impl

/// result() := ||x||_2, a real number; summed in the precision of the result. 0 for a vector so small that the squares
/// of its entries underflow.
///
/// Shapes   result of rank 0.
/// Memory   x and the result reachable from `exec`: it stays on the device.
/// Async    enqueued on `exec`; no fence, no allocation once the instance has its scratch memory.
/// Traffic  |x| bytes.
template <execution_space Exec, vector_view X, class Result>
void norm2(const Exec& exec, const X& x, const Result& result) {
  using Real = typename Result::value_type;
  static_assert(Kokkos::is_view_v<Result> && Result::rank() == 0 && std::is_floating_point_v<Real>,
                "ashlar::norm2: the result is a view of rank 0 of a real number");
  static_assert(reachable_from<Exec, X> && reachable_from<Exec, Result>,
                "ashlar::norm2: x and the result must be reachable from the execution space");
  Kokkos::parallel_reduce("ashlar::norm2", impl::entries(exec, x.extent(0)), impl::Norm2<X, Real>{x}, result);
}

/// ||x||_2, summed in double.
///
/// Memory   x reachable from `exec`.
/// Async    waits for `exec`.
/// Traffic  |x| bytes.
template <execution_space Exec, vector_view X>
double norm2(const Exec& exec, const X& x) {
  static_assert(reachable_from<Exec, X>, "ashlar::norm2: x must be reachable from the execution space");
  double result = 0;
  Kokkos::parallel_reduce("ashlar::norm2", impl::entries(exec, x.extent(0)), impl::Norm2<X, double>{x}, result);
  exec.fence("ashlar::norm2: result");
  return result;
}

/// max |x_i|, on the host; of a complex entry the larger of its parts, so that nothing is squared. Infinite if an entry
/// is NaN or infinite.
///
/// Shapes   x is a vector, contiguous or not: a column of a block, for instance.
/// Async    waits for `exec`.
/// Traffic  |x| bytes.
template <execution_space Exec, class X>
real_t<typename X::non_const_value_type> norm_inf(const Exec& exec, const X& x) {
  using Real = real_t<typename X::non_const_value_type>;
  static_assert(Kokkos::is_view_v<X> && X::rank() == 1, "ashlar::norm_inf: x must be a vector");
  static_assert(reachable_from<Exec, X>, "ashlar::norm_inf: x must be reachable from the execution space");
  Real largest(0);
  Kokkos::parallel_reduce(
      "ashlar::norm_inf", impl::entries(exec, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, Real & most) {
        const Real size = is_finite(x(i)) ? Kokkos::max(Kokkos::abs(real(x(i))), Kokkos::abs(imag(x(i))))
                                          : Kokkos::Experimental::infinity_v<Real>;
        if (size > most) most = size;
      },
      Kokkos::Max<Real>(largest));
  exec.fence("ashlar::norm_inf: result");
  return x.extent(0) == 0 ? Real(0) : largest;
}

}  // namespace ashlar
