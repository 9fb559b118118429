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

/// CG with one reduction an iteration: [p, s = A p, x, r and r^H r] [u = M^-1 r] [w = A u and u^H w] [r^H u].
///
/// Traffic  of an iteration, with vectors of n entries: the operator's, and 9n entries; with a preconditioner its own
///          and n more; 2n more without dot_operator, and without dot_preconditioner.
template <class Exec, class Op, class M, class X>
class SingleReductionCg : public CgForm<Exec, Op, M, X> {
  using Form = CgForm<Exec, Op, M, X>;
  using Form::a_, Form::m_, Form::space_, Form::x_, Form::memory_;

 public:
  using typename Form::Scalar, typename Form::Vector;
  static constexpr const char* name = "single_reduction_cg";
  static constexpr int products_of_start = 2;

  SingleReductionCg(const Exec& exec, const Op& a, const M& m, const X& x)
      : Form(exec, a, m, x),
        r_(Form::vector(exec, "ashlar::cg::r")),
        u_(Form::preconditioned(exec, "ashlar::cg::u", r_)),
        w_(Form::vector(exec, "ashlar::cg::w")),
        p_(Form::vector(exec, "ashlar::cg::p")),
        s_(Form::vector(exec, "ashlar::cg::s")) {}

  template <class B>
  void start(const Exec& exec, const B& b) {
    form_residual(exec, a_, b, x_, r_);
    dot(exec, r_, r_, memory_.team_sums.access(), memory_.sums.data());
    multiply_and_sum(exec);
    const bool identity = m_.is_identity();
    change_scalars(
        "ashlar::cg[begin]", exec, memory_, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double* history) {
          const double rr = sums[0], rz = identity ? rr : sums[2];
          s.begin(rr, rz);
          advance_by_recurrence(s, rr, rz, sums[1], true, history);
        });
  }

  /// One iteration: no decision on the host, no fence, no allocation.
  void enqueue(const Exec& exec) {
    step(exec);
    multiply_and_sum(exec);
    advance(exec);
  }

  /// Nothing is left to do for x.
  void finish(const Exec&) {}

  /// Bytes of an iteration.
  std::int64_t traffic_bytes() const {
    const std::int64_t vectors = 9 +
                                 (m_.is_identity()                      ? 0
                                  : dot_preconditioner<M, Exec, Vector> ? 1
                                                                        : 3) +
                                 (dot_operator<Op, Exec, Vector> ? 0 : 2);
    return Form::traffic_bytes_with(vectors);
  }

  // nvcc takes no device lambda in a private member.

  /// p := u + beta*p, s := w + beta*s, x += alpha*p, r -= alpha*s, and the local part of r^H r: in one pass.
  void step(const Exec& exec) {
    using Real = real_t<Scalar>;
    const auto scalars = memory_.scalars;
    const auto u = u_, w = w_, p = p_, s = s_, r = r_;
    const auto x = x_;
    sum_over_entries<1>(
        "ashlar::cg[step]", exec, r.extent(0), memory_.team_sums.access(), {memory_.sums.data()},
        KOKKOS_LAMBDA(std::int64_t i, double(&sum)[1]) {
          const CgScalars& now = scalars();
          auto residual = r(i);
          if (now.is_running() && now.alpha != 0) {
            const auto alpha = Real(now.alpha), beta = Real(now.beta);
            const auto direction = now.beta != 0 ? u(i) + beta * p(i) : u(i);
            const auto product = now.beta != 0 ? w(i) + beta * s(i) : w(i);
            p(i) = direction;
            s(i) = product;
            x(i) += alpha * direction;
            residual -= alpha * product;
            r(i) = residual;
          }
          sum[0] += real_product(residual, residual);
        });
  }

  void advance(const Exec& exec) {
    const bool identity = m_.is_identity();
    change_scalars(
        "ashlar::cg[advance]", exec, memory_, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double* history) {
          advance_by_recurrence(s, sums[0], identity ? sums[0] : sums[2], sums[1], false, history);
        });
  }

 private:
  /// u := M^-1 r, w := A u, and with r^H r the sums of both: one reduction.
  void multiply_and_sum(const Exec& exec) {
    if (!m_.is_identity()) precondition_dot(exec, m_, r_, u_, memory_, 2);
    multiply_dot(exec, a_, u_, w_, memory_, 1);
    sum_over_parts(exec, space_, memory_.sums_from(0, m_.is_identity() ? 2 : 3));
  }

  Vector r_, u_, w_, p_, s_;
};

}  // namespace ashlar::impl
