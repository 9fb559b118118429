#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/cg_form.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <cstdint>
#include <limits>

namespace ashlar {

/// CG whose only reduction runs under M^-1 and A: [m = M^-1 w] [n = A m] end of the sums [z, q, s, p, x, r, u, w, and
/// what the next sums are made of] beginning of the sums. So an iteration is judged in the next.
///
/// Traffic  of an iteration, with vectors of n entries: the operator's, and 13n entries; with a preconditioner its own
///          and 5n more.
template <class Exec, class Op, class M, class Scalar>
class PipelinedCg : public impl::CgFormByRecurrence<Exec, Op, M, Scalar> {
  using Form = impl::CgFormByRecurrence<Exec, Op, M, Scalar>;
  using Form::a_, Form::m_, Form::space_, Form::x_, Form::memory_, Form::sums_zz_;

 public:
  using typename Form::Vector, typename Form::RightHandSide;
  static constexpr const char* name = "pipelined_cg";
  static constexpr bool judges_late = true, iterates_with_b = true;
  /// Iterations from one residual replacement to the next.
  static constexpr int period = 24;
  static constexpr std::int64_t products_of(std::int64_t iterations) {
    constexpr int of_replacement = 4;
    return iterations + iterations / period * of_replacement;
  }
  static void check_options(const CgOptions& options) { Form::refuse_checkpoints(name, options); }

  PipelinedCg(const Exec& exec, const Op& a, const M& m, const CgOptions& options)
      : Form(exec, a, m, options),
        is_fresh_("ashlar::cg::is_fresh"),
        r_(Form::vector(exec, "ashlar::cg::r")),
        u_(Form::preconditioned(exec, "ashlar::cg::u", r_)),
        w_(Form::vector(exec, "ashlar::cg::w")),
        v_(Form::preconditioned(exec, "ashlar::cg::m", w_)),
        n_(Form::vector(exec, "ashlar::cg::n")),
        z_(Form::vector(exec, "ashlar::cg::z")),
        s_(Form::vector(exec, "ashlar::cg::s")),
        q_(Form::preconditioned(exec, "ashlar::cg::q", s_)),
        p_(Form::vector(exec, "ashlar::cg::p")) {}

  /// Throws NumericalError if A (A r) cannot be represented. The length of the first step tells how large A is.
  void check_first_start(const CgScalars& first) const {
    using Limits = std::numeric_limits<real_t<Scalar>>;
    if (!m_.is_identity() || first.alpha <= 0) return;
    constexpr double eps = Limits::epsilon();
    const double square = 1 / (first.alpha * first.alpha);
    if (square > Limits::min() / eps && square < Limits::max() * eps) return;
    throw NumericalError(text(name, ": products with A are about ", 1 / first.alpha, " times as large as vectors"),
                         text("it multiplies such products by A again, which leaves the range of ",
                              scalar_name<Scalar>()),
                         "scale A by a power of ten, or take a preconditioner");
  }

  void start(const Exec& exec, const RightHandSide& b) {
    b_ = b;
    enqueued_ = 0;
    renew_residual(exec);
    begin_sums(exec, true);
    space_.sum_end(exec, sums(true));
    begin(exec);
  }

  /// The residual, and M^-1 of it; without a preconditioner the same vector.
  const Vector& r() const { return r_; }
  const Vector& z() const { return u_; }

  /// One iteration: no decision of the device's on the host, no fence, no allocation.
  void iterate(const Exec& exec) {
    if (!m_.is_identity()) m_.apply(exec, w_, v_);
    a_.apply(exec, v_, n_);
    if (enqueued_ > 0) space_.sum_end(exec, sums(sums_zz_));
    advance(exec);
    step(exec);
    if (++enqueued_ % period == 0) {
      replace(exec);
      begin_sums(exec, sums_zz_);
    } else {
      if (sums_zz_) sum_uu(exec);
      space_.sum_begin(exec, sums(sums_zz_));
    }
  }

  /// x is whole; a reduction in flight is waited for.
  void finish(const Exec& exec) {
    if (enqueued_ > 0) space_.sum_end(exec, sums(sums_zz_));
  }

  /// Bytes of an iteration.
  std::int64_t traffic_bytes() const {
    const std::int64_t vectors = 13 + (m_.is_identity() ? 0 : 5) + (sums_zz_ ? 1 : 0);
    return Form::traffic_bytes_with(vectors);
  }

  // nvcc takes no device lambda in a private member.

  void begin(const Exec& exec) {
    const auto fresh = is_fresh_;
    const bool has_preconditioner = !m_.is_identity();
    Form::change_scalars(
        "ashlar::cg[begin]", exec, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double*) {
          const double rr = sums[impl::cg_sum::rr];
          s.begin(rr, has_preconditioner ? sums[impl::cg_sum::ru] : rr,
                  has_preconditioner ? sums[impl::cg_sum::uu] : rr);
          s.alpha = s.step_length(sums[impl::cg_sum::uw]);  // for the host: the first step computes it again
          fresh() = true;
        });
  }

  /// Judges the iteration before, where there is one, and prepares this one.
  void advance(const Exec& exec) {
    const auto fresh = is_fresh_;
    const bool has_preconditioner = !m_.is_identity();
    Form::change_scalars(
        "ashlar::cg[advance]", exec, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double* history) {
          impl::advance_by_recurrence(s, sums, has_preconditioner, fresh(), history);
          fresh() = false;
        });
  }

  /// All vectors in one pass, and the local parts of the sums.
  void step(const Exec& exec) {
    using Real = real_t<Scalar>;
    const auto scalars = memory_.scalars;
    const bool identity = m_.is_identity();
    const auto r = r_, u = u_, w = w_, v = v_, n = n_, z = z_, q = q_, s = s_, p = p_;
    const auto x = x_;
    sum_over_entries<num_sums_of_step>(
        "ashlar::cg[step]", exec, r.extent(0), memory_.team_sums.access(), places_of_sums(),
        KOKKOS_LAMBDA(std::int64_t i, double(&sum)[num_sums_of_step]) {
          const CgScalars& now = scalars();
          auto r_i = r(i), w_i = w(i), u_i = identity ? r_i : u(i);
          Scalar p_i(0), s_i(0);
          if (now.is_running() && now.alpha != 0) {
            const auto alpha = Real(now.alpha), beta = Real(now.beta);
            const bool turns = now.beta != 0;
            const auto z_i = turns ? n(i) + beta * z(i) : n(i);
            s_i = turns ? w_i + beta * s(i) : w_i;
            p_i = turns ? u_i + beta * p(i) : u_i;
            x(i) += alpha * p_i;
            r_i -= alpha * s_i;
            w_i -= alpha * z_i;
            if (identity) {
              u_i = r_i;
            } else {
              const auto q_i = turns ? v(i) + beta * q(i) : v(i);
              u_i -= alpha * q_i;
              q(i) = q_i;
              u(i) = u_i;
            }
            z(i) = z_i;
            s(i) = s_i;
            p(i) = p_i;
            r(i) = r_i;
            w(i) = w_i;
          }
          add_up(r_i, u_i, w_i, p_i, s_i, sum);
        });
  }

  /// The sums of the vectors as they are. At a start p and s are none yet, and their sums are not used.
  void begin_sums(const Exec& exec, bool with_uu) {
    if (with_uu && !m_.is_identity()) sum_uu(exec);
    const auto r = r_, u = u_, w = w_, p = p_, s = s_;
    const bool has_direction = enqueued_ > 0;
    sum_over_entries<num_sums_of_step>(
        "ashlar::cg[sums]", exec, r.extent(0), memory_.team_sums.access(), places_of_sums(),
        KOKKOS_LAMBDA(std::int64_t i, double(&sum)[num_sums_of_step]) {
          add_up(r(i), u(i), w(i), has_direction ? p(i) : Scalar(0), has_direction ? s(i) : Scalar(0), sum);
        });
    space_.sum_begin(exec, sums(with_uu));
  }

  /// r := b - A x, and what follows from it.
  void renew_residual(const Exec& exec) {
    Form::form_residual(exec, b_, r_);
    if (!m_.is_identity()) m_.apply(exec, r_, u_);
    a_.apply(exec, u_, w_);
  }

  static constexpr int num_sums_of_step = 5;
  KOKKOS_INLINE_FUNCTION static void add_up(const Scalar& r, const Scalar& u, const Scalar& w, const Scalar& p,
                                            const Scalar& s, double (&sum)[num_sums_of_step]) {
    sum[impl::cg_sum::rr] += real_product(r, r);
    sum[impl::cg_sum::uw] += real_product(u, w);
    sum[impl::cg_sum::us] += real_product(u, s);
    sum[impl::cg_sum::ps] += real_product(p, s);
    sum[impl::cg_sum::ru] += real_product(r, u);
  }

 private:
  Kokkos::Array<double*, num_sums_of_step> places_of_sums() const {
    double* const sums = memory_.sums.data();
    return {sums, sums + 1, sums + 2, sums + 3, sums + 4};
  }

  /// Residual replacement: computed from x and p, not by recurrences.
  void replace(const Exec& exec) {
    renew_residual(exec);
    a_.apply(exec, p_, s_);
    if (!m_.is_identity()) m_.apply(exec, s_, q_);
    a_.apply(exec, q_, z_);
  }

  auto sums(bool with_uu) const { return memory_.sums_from(0, impl::num_sums_of(!m_.is_identity(), with_uu)); }
  void sum_uu(const Exec& exec) { Form::dot(exec, u_, u_, impl::cg_sum::uu); }

  Kokkos::View<bool, typename Exec::memory_space> is_fresh_;  ///< whether no iteration has followed the start
  Vector r_, u_, w_, v_, n_, z_, s_, q_, p_;
  RightHandSide b_{};
  int enqueued_ = 0;  ///< since the start
};

/// Solves A x = b by pipelined conjugate gradients: a single reduction in each iteration, and that one runs under the
/// preconditioner and the product of the next. For systems over many ranks, where reductions take longer than these.
///
/// It has more recurrences, whose rounding errors would grow: every 24 iterations the residual and what follows from it
/// are computed again from x and p (residual replacement), for four products more.
///
/// Shapes   as of cg(); so are Result and Throws. Without a preconditioner NumericalError if entries of A*A would
///          overflow or underflow. Converged by the recurrence it notices one product later.
/// Memory   as of cg(), and three vectors more (five with a preconditioner).
/// Async    as of cg(), but for a persistent kernel, of which there is none.
/// Source   Ghysels & Vanroose 2014; Cools, Yetkin, Agullo, Giraud & Vanroose 2018 for the replacement.
template <execution_space Exec, class Op, class M, class B, class X>
SolveReport pipelined_cg(const Exec& exec, const Op& a, const M& m, const B& b, const X& x,
                         const CgOptions& options = {}) {
  return impl::solve_once<PipelinedCg>(exec, a, m, b, x, options);
}

}  // namespace ashlar
