#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/cg_form.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <cstdint>

namespace ashlar {

/// CG with one reduction an iteration: [p, s = A p, x, r, r^H r and p^H s] [u = M^-1 r and r^H u] [u^H s] [w = A u and
/// u^H w].
///
/// Traffic  of an iteration, with vectors of n entries: the operator's, and 9n entries; with a preconditioner its own
///          and 3n more; 2n more without dot_operator, and without dot_preconditioner.
template <class Exec, class Op, class M, class Scalar>
class SingleReductionCg : public impl::CgFormByRecurrence<Exec, Op, M, Scalar> {
  using Form = impl::CgFormByRecurrence<Exec, Op, M, Scalar>;
  using Form::m_, Form::x_, Form::memory_, Form::sums_zz_;

 public:
  using typename Form::Vector, typename Form::RightHandSide;
  static constexpr const char* name = "single_reduction_cg";
  static void check_options(const CgOptions& options) { Form::refuse_checkpoints(name, options); }

  SingleReductionCg(const Exec& exec, const Op& a, const M& m, const CgOptions& options)
      : Form(exec, a, m, options),
        r_(Form::vector(exec, "ashlar::cg::r")),
        u_(Form::preconditioned(exec, "ashlar::cg::u", r_)),
        w_(Form::vector(exec, "ashlar::cg::w")),
        p_(Form::vector(exec, "ashlar::cg::p")),
        s_(Form::vector(exec, "ashlar::cg::s")) {}

  void start(const Exec& exec, const RightHandSide& b) {
    Form::form_residual(exec, b, r_);
    Form::dot(exec, r_, r_, impl::cg_sum::rr);
    multiply_and_sum(exec, true);
    const bool has_preconditioner = !m_.is_identity();
    Form::change_scalars(
        "ashlar::cg[begin]", exec, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double* history) {
          const double rr = sums[impl::cg_sum::rr];
          s.begin(rr, has_preconditioner ? sums[impl::cg_sum::ru] : rr,
                  has_preconditioner ? sums[impl::cg_sum::uu] : rr);
          impl::advance_by_recurrence(s, sums, has_preconditioner, true, history);
        });
  }

  /// The residual, and M^-1 of it; without a preconditioner the same vector.
  const Vector& r() const { return r_; }
  const Vector& z() const { return u_; }

  /// One iteration: no decision on the host, no fence, no allocation.
  void iterate(const Exec& exec) {
    step(exec);
    multiply_and_sum(exec, false);
    advance(exec);
  }

  /// Bytes of an iteration.
  std::int64_t traffic_bytes() const {
    const std::int64_t vectors = 9 + (sums_zz_ ? 1 : 0) +
                                 (m_.is_identity()                      ? 0
                                  : dot_preconditioner<M, Exec, Vector> ? 3
                                                                        : 5) +
                                 (dot_operator<Op, Exec, Vector> ? 0 : 2);
    return Form::traffic_bytes_with(vectors);
  }

  // nvcc takes no device lambda in a private member.

  /// p := u + beta*p, s := w + beta*s, x += alpha*p, r -= alpha*s, and the local parts of r^H r and p^H s, without a
  /// preconditioner of r^H s, too: in one pass.
  void step(const Exec& exec) {
    using Real = real_t<Scalar>;
    const auto scalars = memory_.scalars;
    const auto u = u_, w = w_, p = p_, s = s_, r = r_;
    const auto x = x_;
    double* const sums = memory_.sums.data();
    sum_over_entries<3>(
        "ashlar::cg[step]", exec, r.extent(0), memory_.team_sums.access(),
        {sums + impl::cg_sum::rr, sums + impl::cg_sum::us, sums + impl::cg_sum::ps},
        KOKKOS_LAMBDA(std::int64_t i, double(&sum)[3]) {
          const CgScalars& now = scalars();
          auto residual = r(i);
          Scalar direction(0), product(0);
          if (now.is_running() && now.alpha != 0) {
            const auto alpha = Real(now.alpha), beta = Real(now.beta);
            direction = now.beta != 0 ? u(i) + beta * p(i) : u(i);
            product = now.beta != 0 ? w(i) + beta * s(i) : w(i);
            p(i) = direction;
            s(i) = product;
            x(i) += alpha * direction;
            residual -= alpha * product;
            r(i) = residual;
          }
          sum[0] += real_product(residual, residual);
          sum[1] += real_product(residual, product);
          sum[2] += real_product(direction, product);
        });
  }

  void advance(const Exec& exec) {
    const bool has_preconditioner = !m_.is_identity();
    Form::change_scalars(
        "ashlar::cg[advance]", exec, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double* history) {
          impl::advance_by_recurrence(s, sums, has_preconditioner, false, history);
        });
  }

 private:
  /// u := M^-1 r, w := A u, and with r^H r the sums of both: one reduction.
  void multiply_and_sum(const Exec& exec, bool is_start) {
    const bool has_preconditioner = !m_.is_identity(), with_uu = is_start || sums_zz_;
    if (has_preconditioner) {
      Form::precondition_dot(exec, r_, u_, impl::cg_sum::ru);
      if (!is_start) Form::dot(exec, u_, s_, impl::cg_sum::us);
      if (with_uu) Form::dot(exec, u_, u_, impl::cg_sum::uu);
    }
    Form::multiply_dot(exec, u_, w_, impl::cg_sum::uw);
    Form::sum_over_parts(exec, 0, impl::num_sums_of(has_preconditioner, with_uu));
  }

  Vector r_, u_, w_, p_, s_;
};

/// Solves A x = b by conjugate gradients with a single reduction in each iteration: for systems over many ranks, where
/// reductions take long. p^H A p comes from a recurrence, so that rounding grows a little faster than in cg().
///
/// Shapes   as of cg(); so are Result and Throws.
/// Memory   as of cg(), and one vector more.
/// Async    as of cg(), but for a persistent kernel, of which there is none.
/// Source   Chronopoulos & Gear 1989.
template <execution_space Exec, class Op, class M, class B, class X>
SolveReport single_reduction_cg(const Exec& exec, const Op& a, const M& m, const B& b, const X& x,
                                const CgOptions& options = {}) {
  return impl::solve_once<SingleReductionCg>(exec, a, m, b, x, options);
}

}  // namespace ashlar
