#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/real_product.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/device/team_sums.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/cg_memory.hpp>
#include <ashlar/krylov/impl/residual.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// The scalars of the forms of CG that know r^H z, u^H w = z^H A z and r^H r at once: p^H A p follows from them,
/// without a reduction of its own.
///
/// Counts an iteration that left a residual with these sums, and prepares the step that follows: alpha and beta are of
/// the step to come.
KOKKOS_INLINE_FUNCTION void prepare_step(CgScalars& s, double rz_before, double alpha_before, double uw,
                                         bool is_first) {
  const double beta = is_first ? 0 : s.rz / rz_before;
  const double pq = is_first ? uw : uw - beta * s.rz / alpha_before;
  s.beta = beta;
  s.alpha = s.judge_curvature(pq) ? s.step_length(pq) : 0;
}

/// CG with one reduction an iteration: [p, s = A p, x, r and r^H r] [u = M^-1 r] [w = A u and u^H w] [r^H u].
///
/// Traffic  of an iteration, with vectors of n entries: the operator's, and 9n entries; with a preconditioner its own
///          and n more; 2n more without dot_operator, and without dot_preconditioner.
template <class Exec, class Op, class M, class X>
class SingleReductionCg {
 public:
  using Scalar = typename X::non_const_value_type;
  using Vector = Kokkos::View<Scalar*, typename Exec::memory_space>;
  static constexpr const char* name = "single_reduction_cg";
  static constexpr int products_of_start = 2;

  SingleReductionCg(const Exec& exec, const Op& a, const M& m, const X& x)
      : a_(a),
        m_(m),
        space_(a.space()),
        x_(x),
        memory_(exec),
        r_(new_vector<Vector>(exec, "ashlar::cg::r", x.extent(0))),
        u_(m.is_identity() ? r_ : new_vector<Vector>(exec, "ashlar::cg::u", x.extent(0))),
        w_(new_vector<Vector>(exec, "ashlar::cg::w", x.extent(0))),
        p_(new_vector<Vector>(exec, "ashlar::cg::p", x.extent(0))),
        s_(new_vector<Vector>(exec, "ashlar::cg::s", x.extent(0))) {}

  const CgMemory<Exec>& memory() const { return memory_; }

  template <class B>
  void start(const Exec& exec, const B& b) {
    form_residual(exec, a_, b, x_, r_);
    dot(exec, r_, r_, memory_.team_sums.access(), memory_.sums.data());
    multiply_and_sum(exec);
    const auto scalars = memory_.scalars;
    const auto sums = memory_.sums;
    const bool identity = m_.is_identity();
    Kokkos::parallel_for(
        "ashlar::cg[begin]", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
          CgScalars& s = scalars();
          s.begin(sums(0), identity ? sums(0) : sums(2));
          if (s.is_running()) prepare_step(s, 0, 0, sums(1), true);
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
    return a_.traffic_bytes() + m_.traffic_bytes() + vectors * std::int64_t(x_.extent(0) * sizeof(Scalar));
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
    const auto scalars = memory_.scalars;
    const auto sums = memory_.sums;
    const auto history = memory_.history;
    const bool identity = m_.is_identity();
    Kokkos::parallel_for(
        "ashlar::cg[advance]", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
          CgScalars& s = scalars();
          if (!s.is_running()) return;
          const double rz_before = s.rz, alpha_before = s.alpha;
          s.end_step(sums(0), identity ? sums(0) : sums(2), history.data(), most_between_looks);
          if (s.is_running()) prepare_step(s, rz_before, alpha_before, sums(1), false);
        });
  }

 private:
  /// u := M^-1 r, w := A u, and with r^H r the sums of both: one reduction.
  void multiply_and_sum(const Exec& exec) {
    if (!m_.is_identity()) precondition_dot(exec, m_, r_, u_, memory_, 2);
    multiply_dot(exec, a_, u_, w_, memory_, 1);
    const auto sums = memory_.sums_from(0, m_.is_identity() ? 2 : 3);
    space_.sum_begin(exec, sums);
    space_.sum_end(exec, sums);
  }

  using Space = std::decay_t<decltype(std::declval<const Op&>().space())>;

  const Op& a_;
  const M& m_;
  Space space_;
  X x_;
  CgMemory<Exec> memory_;
  Vector r_, u_, w_, p_, s_;
};

}  // namespace ashlar::impl
