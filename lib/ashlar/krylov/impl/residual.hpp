#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/axpby.hpp>
#include <ashlar/blas1/dot.hpp>
#include <ashlar/device/team_sums.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/cg_memory.hpp>
#include <ashlar/krylov/impl/refuse_overlap.hpp>
#include <ashlar/krylov/impl/scaling.hpp>
#include <ashlar/krylov/impl/sum_over_parts.hpp>
#include <ashlar/krylov/stopping.hpp>
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

/// r := scale*b - A x
template <class Exec, class Op, class B, class X, class R>
void form_residual(const Exec& exec, const Op& a, const ScaledVector<B>& b, const X& x, const R& r) {
  using Scalar = typename X::non_const_value_type;
  a.apply(exec, x, r);
  axpby(exec, Scalar(real_t<Scalar>(b.scale)), b.vector, -1, r);
}

/// The first `count` sums over the local part become sums over all parts, and come to the host. Waits for `exec`.
template <int count, class Exec, class Space>
std::array<double, count> sums_on_host(const Exec& exec, const Space& space, const CgMemory<Exec>& memory) {
  sum_over_parts(exec, space, memory.sums_from(0, count));
  std::array<double, count> sums{};
  Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(sums.data(), count), memory.sums_from(0, count));
  exec.fence("ashlar::krylov: sums");
  check_device_work(space);
  return sums;
}

/// ||v||, over all parts. Waits for `exec`.
template <class Exec, class Space, class V>
double global_norm(const Exec& exec, const Space& space, const CgMemory<Exec>& memory, const V& v) {
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

/// Overwrites r with b and z with M^-1 b; without a preconditioner they may be one vector. Waits for `exec`.
template <class Exec, class Space, class M, class B, class R>
RightHandSideNorms norms_of_right_hand_side(const Exec& exec, const Space& space, const CgMemory<Exec>& memory,
                                            const M& m, const ScaledVector<B>& b, const R& r, const R& z) {
  using Scalar = typename R::non_const_value_type;
  axpby(exec, Scalar(real_t<Scalar>(b.scale)), b.vector, 0, r);
  dot(exec, r, r, memory.team_sums.access(), memory.sums.data());
  if (m.is_identity()) {
    const double norm = std::sqrt(sums_on_host<1>(exec, space, memory)[0]);
    return {norm, norm, norm};
  }
  precondition_dot(exec, m, r, z, memory, 1);
  dot(exec, z, z, memory.team_sums.access(), memory.sums.data() + 2);
  const auto [bb, bz, zz] = sums_on_host<3>(exec, space, memory);
  return {std::sqrt(bb), std::sqrt(zz), std::sqrt(std::abs(bz))};
}

}  // namespace ashlar::impl
