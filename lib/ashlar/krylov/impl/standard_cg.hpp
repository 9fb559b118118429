#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/real_product.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/device/for_entries.hpp>
#include <ashlar/device/team_sums.hpp>
#include <ashlar/krylov/cg_kernel.hpp>
#include <ashlar/krylov/cg_options.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/cg_form.hpp>
#include <ashlar/krylov/impl/cg_memory.hpp>
#include <ashlar/krylov/impl/change_scalars.hpp>
#include <ashlar/krylov/impl/residual.hpp>
#include <ashlar/krylov/impl/sum_over_parts.hpp>
#include <cstdint>
#include <vector>

namespace ashlar::impl {

/// When x is updated, which all parts of the system decide alike.
template <class Space>
CgXUpdate x_update_for(const Space& space, CgXUpdate asked) {
  if (asked != CgXUpdate::automatic) return asked;
  const bool has_parts = space.agree_max(space.num_local() != space.num_global() ? 1 : 0) > 0;
  return has_parts ? CgXUpdate::under_reduction : CgXUpdate::with_direction;
}

/// x += alpha*p, of the step before and if x lags by it, and p := z + beta*p, in one pass. Where alpha is 0 x is not
/// touched, where beta is 0 p is overwritten, and where the solve has ended p stays.
template <class Scalar>
struct CgDirection {
  using Real = real_t<Scalar>;

  const CgScalars* scalars;
  const Scalar* z;
  Scalar *p, *x;
  bool x_lags;

  struct OfThread {
    Real alpha, beta;
    bool steps, turns, is_running;
    const Scalar* z;
    Scalar *p, *x;

    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
      const Scalar old = steps || turns ? p[i] : Scalar(0);
      if (steps) x[i] += alpha * old;
      if (is_running) p[i] = turns ? z[i] + beta * old : z[i];
    }
  };
  KOKKOS_INLINE_FUNCTION OfThread for_thread() const {
    const CgScalars& s = *scalars;
    return {Real(s.alpha), Real(s.beta), x_lags && s.alpha != 0, s.beta != 0, s.is_running(), z, p, x};
  }
};

template <class Exec, class Scalars, class Z, class P, class X>
void cg_direction(const Exec& exec, const Scalars& scalars, const Z& z, const P& p, const X& x, bool x_lags) {
  using Scalar = typename P::non_const_value_type;
  for_entries("ashlar::cg[direction]", exec, p.extent(0),
              CgDirection<Scalar>{scalars.data(), z.data(), p.data(), x.data(), x_lags});
}

/// x += alpha*p of this step, alpha = r^H z / p^H q. Where that is no step, x is not touched.
template <class Scalar>
struct CgStepOfX {
  using Real = real_t<Scalar>;

  const CgScalars* scalars;
  const double* pq;
  const Scalar* p;
  Scalar* x;

  struct OfThread {
    double alpha;
    const Scalar* p;
    Scalar* x;

    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
      if (alpha != 0) x[i] += Real(alpha) * p[i];
    }
  };
  KOKKOS_INLINE_FUNCTION OfThread for_thread() const { return {scalars->step_length(*pq), p, x}; }
};

template <class Exec, class Scalars, class Sum, class P, class X>
void cg_step_of_x(const Exec& exec, const Scalars& scalars, const Sum& pq, const P& p, const X& x) {
  using Scalar = typename P::non_const_value_type;
  for_entries("ashlar::cg[x]", exec, p.extent(0), CgStepOfX<Scalar>{scalars.data(), pq.data(), p.data(), x.data()});
}

/// An entry of r -= alpha*q with alpha = r^H z / p^H q, and its share of r^H r.
template <class Scalar>
struct CgResidual {
  using Real = real_t<Scalar>;
  struct Loaded {
    Scalar r, q;
  };

  const CgScalars* scalars;
  const double* pq;
  const Scalar* q;
  Scalar* r;

  struct OfThread {
    double alpha;
    const Scalar* q;
    Scalar* r;

    KOKKOS_INLINE_FUNCTION Loaded load(std::int64_t i) const { return {r[i], q[i]}; }
    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, const Loaded& loaded, double (&sum)[1]) const {
      Scalar residual = loaded.r;
      if (alpha != 0) {  // (0 times what is not finite would be no number)
        residual -= Real(alpha) * loaded.q;
        r[i] = residual;
      }
      sum[0] += real_product(residual, residual);
    }
  };
  KOKKOS_INLINE_FUNCTION OfThread for_thread() const { return {scalars->step_length(*pq), q, r}; }
};

/// The textbook's CG, in three passes: [x and p] [q = A p and p^H q] [r and r^H r], and what a preconditioner takes.
/// x lags by a step: it is updated beside p, which is read for it anyway. Or it has a pass of its own, [x], at once:
/// under the reduction of the residual's sums, where there are other parts to wait for.
///
/// Traffic  of an iteration, with vectors of n entries: the operator's and the preconditioner's, and 8n entries; n more
///          where x has its own pass; 2n more without dot_operator, and without dot_preconditioner.
template <class Exec, class Op, class M, class X>
class StandardCg : public CgForm<Exec, Op, M, X> {
  using Form = CgForm<Exec, Op, M, X>;
  using Form::a_, Form::m_, Form::space_, Form::x_, Form::memory_, Form::sums_zz_;

 public:
  using typename Form::Scalar, typename Form::Vector;
  static constexpr const char* name = "cg";
  static constexpr int products_of_start = 1;
  static constexpr bool judges_by_recurrence = false, judges_late = false, multiplies_products = false;

  /// Collective.
  StandardCg(const Exec& exec, const Op& a, const M& m, const X& x, const CgOptions& options)
      : Form(exec, a, m, x),
        is_x_update_asked_(options.x_update != CgXUpdate::automatic),
        x_update_(x_update_for(space_, options.x_update)),
        copy_bytes_(options.max_iterations < fewest_for_copy ? 0 : options.copy_bytes),
        r_(Form::vector(exec, "ashlar::cg::r")),
        z_(Form::preconditioned(exec, "ashlar::cg::z", r_)),
        p_(Form::vector(exec, "ashlar::cg::p")),
        q_(Form::vector(exec, "ashlar::cg::q")) {}

  /// r := b - A x and all that follows from it; the scalars begin, with new limits where it is a new solve.
  template <class B>
  void start(const Exec& exec, const ScaledVector<B>& b) {
    form_residual(exec, a_, b, x_, r_);
    dot(exec, r_, r_, memory_.team_sums.access(), memory_.sums.data() + 1);
    apply_preconditioner(exec);
    if (!m_.is_identity()) sum_zz(exec);
    sum_over_parts(exec, space_, sums_of_residual(true));
    const bool identity = m_.is_identity();
    change_scalars(
        "ashlar::cg[begin]", exec, memory_, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double*) {
          s.begin(sums[1], identity ? sums[1] : sums[2], identity ? sums[1] : sums[3]);
        });
  }

  /// The residual, and M^-1 of it; without a preconditioner the same vector.
  const Vector& r() const { return r_; }
  const Vector& z() const { return z_; }

  /// All vectors that an iteration reads before it writes them.
  std::vector<Vector> state() const { return m_.is_identity() ? std::vector{r_, p_} : std::vector{r_, p_, z_}; }

  /// One iteration: no decision on the host, no fence, no allocation.
  void enqueue(const Exec& exec) {
    cg_direction(exec, memory_.scalars, z_, p_, x_, x_lags());
    multiply_dot(exec, a_, p_, q_, memory_, 0);
    sum_over_parts(exec, space_, memory_.sums_from(0, 1));
    sum_over_entries<1>("ashlar::cg[residual]", exec, r_.extent(0), memory_.team_sums.access(),
                        {memory_.sums.data() + 1},
                        CgResidual<Scalar>{memory_.scalars.data(), memory_.sums.data(), q_.data(), r_.data()});
    apply_preconditioner(exec);
    if (sums_zz_) sum_zz(exec);
    if (x_update_ == CgXUpdate::before_reduction) update_x(exec);
    const auto of_residual = sums_of_residual(sums_zz_);
    space_.sum_begin(exec, of_residual);
    if (x_update_ == CgXUpdate::under_reduction) update_x(exec);
    space_.sum_end(exec, of_residual);
    const bool identity = m_.is_identity();
    change_scalars(
        "ashlar::cg[advance]", exec, memory_, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double* history) {
          s.advance(sums[0], sums[1], identity ? sums[1] : sums[2], history, most_between_checks, sums[3]);
        });
  }

  /// x gets the step that it still lacks.
  void finish(const Exec& exec) {
    if (x_lags()) cg_direction(exec, memory_.scalars, z_, p_, x_, true);
  }

  /// The kernel that the operator has for all this, or why it has none. Collective.
  CgKernelOffer<Exec> kernel(const Exec& exec) const {
    if (sums_zz_) return {nullptr, "the norm of the preconditioned residual takes a sum of its own", false};
    if (is_x_update_asked_ && !x_lags()) return {nullptr, "x is updated by itself", false};
    if constexpr (provides_cg_kernel<Op, Exec, M, Scalar> && reachable_from<Exec, X>) {
      return a_.cg_kernel(
          exec, m_,
          CgPlace<Scalar>{std::int64_t(x_.extent(0)), x_.data(), r_.data(), z_.data(), p_.data(), q_.data(),
                          memory_.scalars.data(), memory_.history.data(), most_between_checks, copy_bytes_});
    } else {
      return {nullptr, "the operator provides none", false};
    }
  }

  /// The kernel iterates from now on, in which x lags.
  void follow_kernel() { x_update_ = CgXUpdate::with_direction; }

  /// Bytes of an iteration.
  std::int64_t traffic_bytes() const {
    const std::int64_t vectors = 8 + (x_lags() ? 0 : 1) + (sums_zz_ ? 1 : 0) +
                                 (m_.is_identity() || dot_preconditioner<M, Exec, Vector> ? 0 : 2) +
                                 (dot_operator<Op, Exec, Vector> ? 0 : 2);
    return Form::traffic_bytes_with(vectors);
  }

 private:
  void apply_preconditioner(const Exec& exec) {
    if (!m_.is_identity()) precondition_dot(exec, m_, r_, z_, memory_, 2);
  }

  void sum_zz(const Exec& exec) { dot(exec, z_, z_, memory_.team_sums.access(), memory_.sums.data() + 3); }

  bool x_lags() const { return x_update_ == CgXUpdate::with_direction; }
  void update_x(const Exec& exec) { cg_step_of_x(exec, memory_.scalars, memory_.sum(0), p_, x_); }

  /// r^H r, with a preconditioner r^H z, and if asked for z^H z.
  auto sums_of_residual(bool with_zz) const { return memory_.sums_from(1, m_.is_identity() ? 1 : with_zz ? 3 : 2); }

  /// Of fewer iterations a copy of the matrix is never made: it takes as long as ten or twenty, and repays that in 35
  /// to 50, which a solve takes more often than not, where it may.
  static constexpr int fewest_for_copy = 20;

  bool is_x_update_asked_;
  CgXUpdate x_update_;
  std::uint64_t copy_bytes_;
  Vector r_, z_, p_, q_;
};

}  // namespace ashlar::impl
