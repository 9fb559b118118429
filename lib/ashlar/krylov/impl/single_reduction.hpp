#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/real_product.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/device/team_sums.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/advance_by_recurrence.hpp>
#include <ashlar/krylov/impl/cg_form.hpp>
#include <ashlar/krylov/impl/change_scalars.hpp>
#include <ashlar/krylov/impl/residual.hpp>
#include <ashlar/krylov/impl/sum_over_parts.hpp>
#include <cstdint>

namespace ashlar::impl {

/// CG with one reduction an iteration: [p, s = A p, x, r, r^H r and p^H s] [u = M^-1 r and r^H u] [u^H s] [w = A u and
/// u^H w].
///
/// Traffic  of an iteration, with vectors of n entries: the operator's, and 9n entries; with a preconditioner its own
///          and 3n more; 2n more without dot_operator, and without dot_preconditioner.
template <class Exec, class Op, class M, class X>
class SingleReductionCg : public CgForm<Exec, Op, M, X> {
  using Form = CgForm<Exec, Op, M, X>;
  using Form::a_, Form::m_, Form::space_, Form::x_, Form::memory_, Form::sums_zz_;

 public:
  using typename Form::Scalar, typename Form::Vector;
  static constexpr const char* name = "single_reduction_cg";
  static constexpr int products_of_start = 2;
  static constexpr bool judges_by_recurrence = true;  ///< p^H A p is computed from other sums
  static constexpr bool judges_late = false, multiplies_products = false;

  SingleReductionCg(const Exec& exec, const Op& a, const M& m, const X& x)
      : Form(exec, a, m, x),
        r_(Form::vector(exec, "ashlar::cg::r")),
        u_(Form::preconditioned(exec, "ashlar::cg::u", r_)),
        w_(Form::vector(exec, "ashlar::cg::w")),
        p_(Form::vector(exec, "ashlar::cg::p")),
        s_(Form::vector(exec, "ashlar::cg::s")) {}

  template <class B>
  void start(const Exec& exec, const ScaledVector<B>& b) {
    form_residual(exec, a_, b, x_, r_);
    dot(exec, r_, r_, memory_.team_sums.access(), memory_.sums.data());
    multiply_and_sum(exec, true);
    const bool has_preconditioner = !m_.is_identity();
    change_scalars(
        "ashlar::cg[begin]", exec, memory_, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double* history) {
          const double rr = sums[cg_sum::rr];
          s.begin(rr, has_preconditioner ? sums[cg_sum::ru] : rr, has_preconditioner ? sums[cg_sum::uu] : rr);
          advance_by_recurrence(s, sums, has_preconditioner, true, history);
        });
  }

  /// The residual, and M^-1 of it; without a preconditioner the same vector.
  const Vector& r() const { return r_; }
  const Vector& z() const { return u_; }

  /// One iteration: no decision on the host, no fence, no allocation.
  void enqueue(const Exec& exec) {
    step(exec);
    multiply_and_sum(exec, false);
    advance(exec);
  }

  /// Nothing is left to do for x.
  void finish(const Exec&) {}

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
        {sums + cg_sum::rr, sums + cg_sum::us, sums + cg_sum::ps}, KOKKOS_LAMBDA(std::int64_t i, double(&sum)[3]) {
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
    change_scalars(
        "ashlar::cg[advance]", exec, memory_, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double* history) {
          advance_by_recurrence(s, sums, has_preconditioner, false, history);
        });
  }

 private:
  /// u := M^-1 r, w := A u, and with r^H r the sums of both: one reduction.
  void multiply_and_sum(const Exec& exec, bool is_start) {
    const bool has_preconditioner = !m_.is_identity(), with_uu = is_start || sums_zz_;
    if (has_preconditioner) {
      precondition_dot(exec, m_, r_, u_, memory_, cg_sum::ru);
      if (!is_start) dot(exec, u_, s_, memory_.team_sums.access(), memory_.sums.data() + cg_sum::us);
      if (with_uu) dot(exec, u_, u_, memory_.team_sums.access(), memory_.sums.data() + cg_sum::uu);
    }
    multiply_dot(exec, a_, u_, w_, memory_, cg_sum::uw);
    sum_over_parts(exec, space_, memory_.sums_from(0, num_sums_of(has_preconditioner, with_uu)));
  }

  Vector r_, u_, w_, p_, s_;
};

}  // namespace ashlar::impl
