#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/axpby.hpp>
#include <ashlar/blas1/dot.hpp>
#include <ashlar/blas1/norm_inf.hpp>
#include <ashlar/device/team_sums.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/cg_memory.hpp>
#include <ashlar/krylov/impl/refuse_overlap.hpp>
#include <ashlar/krylov/impl/sum_over_parts.hpp>
#include <cmath>
#include <cstdint>

// Where solvers begin: vectors that fit, norms, residuals.

namespace ashlar::impl {

/// Throws ShapeError unless b and x are as long as the matrix, ArgumentError where they share memory.
template <class B, class X>
void check_vectors(const char* solver, std::int64_t n, const B& b, const X& x) {
  if (std::int64_t(b.extent(0)) != n || std::int64_t(x.extent(0)) != n) {
    throw ShapeError(text(solver, ": b has ", b.extent(0), " entries and x has ", x.extent(0)),
                     text("the matrix has ", n, " rows"), "pass vectors as long as the matrix is high");
  }
  refuse_overlap(solver, b, x);
}

/// q := A p and *total := the local part of p^H q: in one pass where the operator has one.
template <class Exec, class Op, class P, class Q>
void multiply_dot(const Exec& exec, const Op& a, const P& p, const Q& q, const CgMemory<Exec>& memory, int slot) {
  if constexpr (dot_operator<Op, Exec, P, Q>) {
    a.apply_dot(exec, p, q, memory.team_sums.access(), memory.sums.data() + slot);
  } else {
    a.apply(exec, p, q);
    dot(exec, p, q, memory.team_sums.access(), memory.sums.data() + slot);
  }
}

/// z := M^-1 r and *total := the local part of r^H z, as multiply_dot().
template <class Exec, class M, class R, class Z>
void precondition_dot(const Exec& exec, const M& m, const R& r, const Z& z, const CgMemory<Exec>& memory, int slot) {
  if constexpr (dot_preconditioner<M, Exec, R, Z>) {
    m.apply_dot(exec, r, z, memory.team_sums.access(), memory.sums.data() + slot);
  } else {
    m.apply(exec, r, z);
    dot(exec, r, z, memory.team_sums.access(), memory.sums.data() + slot);
  }
}

/// r := b - A x
template <class Exec, class Op, class B, class X, class R>
void form_residual(const Exec& exec, const Op& a, const B& b, const X& x, const R& r) {
  a.apply(exec, x, r);
  axpby(exec, 1, b, -1, r);
}

/// ||v||, over all parts. Waits for `exec`.
template <class Exec, class Space, class V>
double global_norm(const Exec& exec, const Space& space, const CgMemory<Exec>& memory, const V& v) {
  dot(exec, v, v, memory.team_sums.access(), memory.sums.data());
  sum_over_parts(exec, space, memory.sums_from(0, 1));
  double squared = 0;
  Kokkos::deep_copy(exec, Kokkos::View<double, Kokkos::HostSpace>(&squared), memory.sum(0));
  exec.fence("ashlar::krylov: norm");
  check_device_work(space);
  return std::sqrt(squared);
}

/// ||b||. Where that is 0 the solution is, too: x := 0.
template <class Exec, class Space, class B, class X>
double norm_of_right_hand_side(const Exec& exec, const Space& space, const CgMemory<Exec>& memory, const char* solver,
                               const B& b, const X& x) {
  const double norm = global_norm(exec, space, memory, b);
  if (norm != 0) return norm;
  if (space.agree_max(norm_inf(exec, b) > 0) > 0) {
    throw NumericalError(
        text(solver, ": the squares of b underflow (its largest local entry is ", norm_inf(exec, b), ")"),
        "its norm cannot be computed", "scale the system by a power of ten");
  }
  Kokkos::deep_copy(exec, x, typename X::non_const_value_type(0));
  exec.fence("ashlar::krylov: x = 0 for b = 0");
  return norm;
}

}  // namespace ashlar::impl
