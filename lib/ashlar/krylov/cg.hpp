#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/cg_kernel.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/cg_form.hpp>
#include <ashlar/krylov/impl/cg_steps.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar {

/// The conjugate gradient method as a method of SolveLoop:
///
///     r := b - A x                                start
///     z := M^-1 r
///     p := z
///     until ||r|| is small enough
///       q := A p                                  product
///       alpha := r^H z / p^H q                    step length
///       x := x + alpha p
///       r := r - alpha q                          residual
///       z := M^-1 r                               preconditioner
///       beta := r^H z / (r^H z of before)         inner products
///       p := z + beta p                           direction
///
/// alpha and beta stay on the device (CgScalars). An iteration begins with p, and takes three passes over vectors: [p
/// and x] [q and p^H q] [r and r^H r], and what a preconditioner takes. x lags by a step: it is updated beside p, which
/// is read for it anyway. Or it has a pass of its own under the reduction, if there are other parts to wait for.
///
/// Traffic  of an iteration, with vectors of n entries: the operator's and the preconditioner's, and 8n entries; n more
///          if x has its own pass; 2n more without dot_operator, and without dot_preconditioner.
/// Source   Hestenes & Stiefel 1952; Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.1.
template <class Exec, class Op, class M, class Scalar>
class StandardCg : public impl::CgForm<Exec, Op, M, Scalar> {
  using Form = impl::CgForm<Exec, Op, M, Scalar>;
  using Form::a_, Form::m_, Form::space_, Form::x_, Form::memory_, Form::sums_zz_;

 public:
  using typename Form::Vector, typename Form::RightHandSide;
  static constexpr const char* name = "cg";
  enum Sum : int { pq, rr, rz, zz };  ///< p^H q, r^H r, r^H z, z^H z

  /// Collective.
  StandardCg(const Exec& exec, const Op& a, const M& m, const CgOptions& options)
      : Form(exec, a, m, options),
        is_x_update_asked_(options.x_update != CgXUpdate::automatic),
        x_update_(impl::x_update_for(space_, options.x_update)),
        copy_bytes_(options.max_iterations < fewest_for_copy ? 0 : options.copy_bytes),
        r_(Form::vector(exec, "ashlar::cg::r")),
        z_(Form::preconditioned(exec, "ashlar::cg::z", r_)),
        p_(Form::vector(exec, "ashlar::cg::p")),
        q_(Form::vector(exec, "ashlar::cg::q")) {}

  void start(const Exec& exec, const RightHandSide& b) {
    Form::form_residual(exec, b, r_);
    Form::dot(exec, r_, r_, rr);
    apply_preconditioner(exec);
    if (!m_.is_identity()) Form::dot(exec, z_, z_, zz);
    Form::sum_over_parts(exec, rr, num_sums_of_residual(true));
    begin(exec);
  }

  void iterate(const Exec& exec) {
    update_direction(exec);
    multiply(exec);
    update_residual(exec);
    apply_preconditioner(exec);
    sum_and_update_x(exec);
    advance(exec);
  }

  /// x gets the step that it still lacks.
  void finish(const Exec& exec) {
    if (x_lags()) update_direction(exec);
  }

  /// The residual, and M^-1 of it; without a preconditioner the same vector.
  const Vector& r() const { return r_; }
  const Vector& z() const { return z_; }

  static constexpr bool has_checkpoints = true;
  std::vector<Vector> state() const { return m_.is_identity() ? std::vector{r_, p_} : std::vector{r_, p_, z_}; }

  CgKernelOffer<Exec> kernel(const Exec& exec) const {
    if (sums_zz_) return {nullptr, "the norm of the preconditioned residual takes a sum of its own", false};
    if (is_x_update_asked_ && !x_lags()) return {nullptr, "x is updated by itself", false};
    if constexpr (provides_cg_kernel<Op, Exec, M, Scalar>) {
      return a_.cg_kernel(
          exec, m_,
          CgPlace<Scalar>{std::int64_t(x_.extent(0)), x_.data(), r_.data(), z_.data(), p_.data(), q_.data(),
                          memory_.scalars.data(), memory_.history.data(), impl::most_between_checks, copy_bytes_});
    } else {
      return {nullptr, "the operator provides none", false};
    }
  }
  /// In the kernel x lags.
  void follow_kernel() { x_update_ = CgXUpdate::with_direction; }

  std::int64_t traffic_bytes() const {
    const std::int64_t vectors = 8 + (x_lags() ? 0 : 1) + (sums_zz_ ? 1 : 0) +
                                 (m_.is_identity() || dot_preconditioner<M, Exec, Vector> ? 0 : 2) +
                                 (dot_operator<Op, Exec, Vector> ? 0 : 2);
    return Form::traffic_bytes_with(vectors);
  }

  // The steps of an iteration. nvcc takes no device lambda in a private member.

  /// p := z + beta p; if x lags it gets the step before.
  void update_direction(const Exec& exec) { impl::cg_direction(exec, memory_.scalars, z_, p_, x_, x_lags()); }

  /// q := A p, and p^H q over all parts.
  void multiply(const Exec& exec) {
    Form::multiply_dot(exec, p_, q_, pq);
    Form::sum_over_parts(exec, pq, 1);
  }

  /// r -= alpha q with alpha = r^H z / p^H q, and r^H r.
  void update_residual(const Exec& exec) { impl::cg_residual(exec, memory_, q_, r_); }

  /// z := M^-1 r, and r^H z.
  void apply_preconditioner(const Exec& exec) {
    if (!m_.is_identity()) Form::precondition_dot(exec, r_, z_, rz);
  }

  /// The inner products over all parts; x += alpha p under the reduction, if it does not lag.
  void sum_and_update_x(const Exec& exec) {
    if (sums_zz_) Form::dot(exec, z_, z_, zz);
    const auto sums = memory_.sums_from(rr, num_sums_of_residual(sums_zz_));
    const auto update_x = [&] { impl::cg_step_of_x(exec, memory_, p_, x_); };
    if (x_update_ == CgXUpdate::before_reduction) update_x();
    space_.sum_begin(exec, sums);
    if (x_update_ == CgXUpdate::under_reduction) update_x();
    space_.sum_end(exec, sums);
  }

  void begin(const Exec& exec) {
    const bool identity = m_.is_identity();
    Form::change_scalars(
        "ashlar::cg[begin]", exec, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double*) {
          s.begin(sums[rr], identity ? sums[rr] : sums[rz], identity ? sums[rr] : sums[zz]);
        });
  }

  /// alpha and beta, and whether it has converged.
  void advance(const Exec& exec) {
    const bool identity = m_.is_identity();
    Form::change_scalars(
        "ashlar::cg[advance]", exec, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double* history) {
          s.advance(sums[pq], sums[rr], identity ? sums[rr] : sums[rz], history, impl::most_between_checks, sums[zz]);
        });
  }

 private:
  /// From r^H r on: with a preconditioner r^H z, and if asked for z^H z.
  int num_sums_of_residual(bool with_zz) const { return m_.is_identity() ? 1 : with_zz ? 3 : 2; }

  bool x_lags() const { return x_update_ == CgXUpdate::with_direction; }

  /// Shorter solves skip the copy of the matrix: it takes as long as ten or twenty iterations, and is worth its cost
  /// after 35 to 50, which most solves that may take 20 do take.
  static constexpr int fewest_for_copy = 20;

  bool is_x_update_asked_;
  CgXUpdate x_update_;
  std::uint64_t copy_bytes_;
  Vector r_, z_, p_, q_;
};

/// CG for many solves with one operator (Solver). For other scalars than double all types are named.
template <execution_space Exec, class Op, class M = IdentityPreconditioner, scalar Scalar = double>
class CgSolver : public Solver<StandardCg<Exec, Op, M, Scalar>> {
 public:
  using Solver<StandardCg<Exec, Op, M, Scalar>>::Solver;
};
template <class Exec, class Op, class M>
CgSolver(const Exec&, const Op&, const M&, const CgOptions& = {}) -> CgSolver<Exec, Op, M>;

/// Solves A x = b by the preconditioned conjugate gradient method.
///
/// Shapes   b and x are vectors of a.space().num_local() entries, the local part. x holds the first guess.
/// Memory   b and x reachable from `exec`, and apart; allocates four vectors (three without a preconditioner) and some
///          100 KB at the start, and nothing in the iterations. On the host the history grows by 8 bytes an iteration.
///          On a device a copy of the matrix besides, where that makes iterations faster (CgOptions::copy_bytes).
/// Async    returns when the solve has ended. All work is enqueued on `exec`; the scalars stay on the device, and the
///          host checks them every check_interval iterations, by way of pinned memory, while the device goes on.
///          Neither the iterates nor the count depend on that. Between checks the host neither waits nor allocates:
///          iterations are one kernel, where the operator provides one (cg_kernel.hpp), or a graph of the device, where
///          operator and preconditioner are capturable; SolveReport::launch says which, and why, and
///          iterates_in_kernel whether it is the first. These forms add up in orders of their own, and so agree to
///          rounding; each gives the same bits twice, with the same launch. Until convergence is known more products
///          may have been enqueued, of which SolveReport::products tells.
/// Result   the status, and the true residual ||b - A x|| / ||b|| computed from the final x. If the recurrence
///          claims convergence and the true residual is larger, CG starts again from x; if that gains nothing, the
///          status is accuracy_limit.
/// Throws   ShapeError, ArgumentError before any work, on all parts of the system if one of them has a reason, or if
///          they are asked for different things.
/// Source   Hestenes & Stiefel 1952; Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.1.
template <execution_space Exec, class Op, class M, class B, class X>
SolveReport cg(const Exec& exec, const Op& a, const M& m, const B& b, const X& x, const CgOptions& options = {}) {
  return impl::solve_once<StandardCg>(exec, a, m, b, x, options);
}

}  // namespace ashlar

// Bytes that the forms of CG allocate where vectors are, for n entries of the local part, beside a header of some
// hundred for each of a few allocations: what block_cg_bytes() is for block CG. They stand beside the solvers' headers,
// as who plans memory need not compile solvers. Without the copy of the matrix that CgOptions::copy_bytes allows.

namespace ashlar {

namespace impl {

inline std::uint64_t cg_bytes(std::int64_t n, std::uint64_t vectors, std::size_t scalar_bytes) {
  using Sums = TeamSums<Kokkos::HostSpace>;
  // Besides vectors: sums, the norms of an interval (CgOptions::check_interval), and what teams add up.
  constexpr std::uint64_t interval = 1024, numbers = most_sums_of_step + Sums::most_sums * Sums::most_teams + interval;
  return vectors * std::uint64_t(n) * scalar_bytes + sizeof(CgScalars) + numbers * sizeof(double) + sizeof(unsigned);
}

}  // namespace impl

inline std::uint64_t cg_bytes(std::int64_t n, std::size_t scalar_bytes, bool preconditioned) {
  return impl::cg_bytes(n, preconditioned ? 5 : 4, scalar_bytes);
}

inline std::uint64_t single_reduction_cg_bytes(std::int64_t n, std::size_t scalar_bytes, bool preconditioned) {
  return impl::cg_bytes(n, preconditioned ? 6 : 5, scalar_bytes);
}

inline std::uint64_t pipelined_cg_bytes(std::int64_t n, std::size_t scalar_bytes, bool preconditioned) {
  return impl::cg_bytes(n, preconditioned ? 10 : 7, scalar_bytes) + sizeof(bool);
}

}  // namespace ashlar
