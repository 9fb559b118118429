#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <type_traits>

namespace ashlar::impl {

/// A matrix by itself, ours or another library's: it has values, and is no operator.
template <class Op>
concept plain_matrix = (
                           requires(const Op& a) { a.values(); } || requires(const Op& a) { a.values; }) &&
                       !requires(const Op& a) {
  a.space();
};

/// What everybody is asked first: these faults would make all other messages.
template <class Op, class B, class X>
constexpr void require_operator_and_scalars() {
  static_assert(!plain_matrix<Op>,
                "ashlar: A is a matrix, and solvers take operators: wrap it in BcsrOperator "
                "(ashlar/operators/bcsr_operator.hpp)");
  static_assert(scalar<typename X::non_const_value_type> && scalar<typename B::non_const_value_type>,
                "ashlar: b and x must hold float, double or their Kokkos::complex; std::complex is none of these");
}

/// That b and x are vectors that solvers of one right-hand side take.
template <class Exec, class B, class X>
constexpr void require_vectors() {
  static_assert(vector_view<B>, "ashlar::cg: b must be a contiguous Kokkos::View of rank 1");
  static_assert(vector_view<X>, "ashlar::cg: x must be a contiguous Kokkos::View of rank 1");
  static_assert(!std::is_const_v<typename X::value_type>, "ashlar::cg: x must be writable");
  static_assert(reachable_from<Exec, B>, "ashlar::cg: b must be reachable from the execution space");
  static_assert(reachable_from<Exec, X>, "ashlar::cg: x must be reachable from the execution space");
}

/// What operator and preconditioner of a solve must be: for x, and for the solver's own vectors, which they are applied
/// to.
template <class Exec, class Op, class M, class B, class X>
constexpr void require_system() {
  require_operator_and_scalars<Op, B, X>();
  require_vectors<Exec, B, X>();
  using Vector = Kokkos::View<typename X::non_const_value_type*, typename Exec::memory_space>;
  static_assert(linear_operator<Op, Exec, X, Vector>,
                "ashlar::cg: A must be a linear operator on vectors of the type of x");
  static_assert(
      linear_operator<Op, Exec, Vector, Vector>,
      "ashlar::cg: A must be a linear operator on Kokkos::View<Scalar*, Exec::memory_space>, the solver's own "
      "vectors");
  static_assert(preconditioner<M, Exec, Vector, Vector>,
                "ashlar::cg: M must be a preconditioner of Kokkos::View<Scalar*, Exec::memory_space>, the solver's own "
                "vectors");
}

}  // namespace ashlar::impl
