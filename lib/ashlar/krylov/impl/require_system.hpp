#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// A matrix by itself, ours or another library's: it has values, and is no operator.
template <class Op>
concept plain_matrix = (
                           requires(const Op& a) { a.values(); } || requires(const Op& a) { a.values; }) &&
                       !requires(const Op& a) {
  a.space();
};

// Requirements are class templates, and solvers assert their `value` before anything else: a function's assertions
// would come after errors in the body of its caller.

/// The first requirement: without it the messages of all others would mislead.
template <class Op, class B, class X>
struct OperatorAndScalars {
  static_assert(!plain_matrix<Op>,
                "ashlar: A is a matrix, and solvers take operators: wrap it in BcsrOperator "
                "(ashlar/operators/bcsr_operator.hpp)");
  static_assert(scalar<typename X::non_const_value_type> && scalar<typename B::non_const_value_type>,
                "ashlar: b and x must hold float, double or their Kokkos::complex; std::complex is none of these");
  static constexpr bool value = true;
};

/// b and x are vectors that solvers of one right-hand side take; operator and preconditioner are for x, and for the
/// solver's own vectors, which they are applied to: `Preconditioned` where M has another scalar.
template <class Exec, class Op, class M, class B, class X,
          class Preconditioned = Kokkos::View<typename X::non_const_value_type*, typename Exec::memory_space>>
struct SystemOfOneVector {
  static_assert(OperatorAndScalars<Op, B, X>::value);
  static_assert(vector_view<B>, "ashlar::cg: b must be a contiguous Kokkos::View of rank 1");
  static_assert(vector_view<X>, "ashlar::cg: x must be a contiguous Kokkos::View of rank 1");
  static_assert(!std::is_const_v<typename X::value_type>, "ashlar::cg: x must be writable");
  static_assert(reachable_from<Exec, B>, "ashlar::cg: b must be reachable from the execution space");
  static_assert(reachable_from<Exec, X>, "ashlar::cg: x must be reachable from the execution space");
  using Vector = Kokkos::View<typename X::non_const_value_type*, typename Exec::memory_space>;
  static_assert(linear_operator<Op, Exec, X, Vector>,
                "ashlar::cg: A must be a linear operator on vectors of the type of x");
  static_assert(
      linear_operator<Op, Exec, Vector, Vector>,
      "ashlar::cg: A must be a linear operator on Kokkos::View<Scalar*, Exec::memory_space>, the solver's own "
      "vectors");
  static_assert(preconditioner<M, Exec, Preconditioned, Preconditioned>,
                "ashlar::cg: M must be a preconditioner of Kokkos::View<Scalar*, Exec::memory_space>, the solver's own "
                "vectors");
  static constexpr bool value = true;
};

/// Throws ArgumentError if b and x share memory.
template <class B, class X>
void refuse_overlap(const char* solver, const B& b, const X& x) {
  if (!overlap(b, x)) return;
  throw ArgumentError(text(solver, ": b and x overlap (", b.label(), ", ", x.label(), ")"),
                      "b would change with each iterate, and any x would pass for a solution",
                      "pass an x of its own; it holds the first guess");
}

/// Throws ShapeError unless b and x are as long as the matrix, ArgumentError where they share memory.
template <class B, class X>
void check_vectors(const char* solver, std::int64_t n, const B& b, const X& x) {
  if (std::int64_t(b.extent(0)) != n || std::int64_t(x.extent(0)) != n) {
    throw ShapeError(text(solver, ": b has ", b.extent(0), " entries and x has ", x.extent(0)),
                     text("the matrix has ", n, " rows"), "pass vectors as long as the matrix is high");
  }
  refuse_overlap(solver, b, x);
}

}  // namespace ashlar::impl
