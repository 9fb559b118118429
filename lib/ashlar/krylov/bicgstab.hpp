#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/basis.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/impl/bicgstab_steps.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/method.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ashlar {

/// The scalars of BiCGStab. Sum is double, or a complex of it.
template <class Sum>
struct BiCgStabScalars : IterationScalars {
  Sum rho = 0, alpha = 0, omega = 0;
  Sum beta = 0;  ///< of the next direction

  KOKKOS_FUNCTION void begin(double rr) {
    IterationScalars::begin(rr, rr, rr);
    rho = rr;  // the shadow residual is r
    alpha = omega = beta = Sum(0);
  }

  /// From v^H v and shadow^H v; `eps` is the vectors' precision. A product that is rounding alone is none to divide by.
  KOKKOS_FUNCTION void set_alpha(double vv, const Sum& shadow_v, double eps) {
    if (!is_running()) return;
    const double size = Kokkos::abs(shadow_v);
    if (!is_finite(size) || !is_finite(vv)) {
      progress.status = SolveStatus::non_finite;
    } else if (size <= eps * Kokkos::sqrt(start_rr) * Kokkos::sqrt(vv) || !is_finite(Kokkos::abs(rho) / size)) {
      progress.status = SolveStatus::breakdown;
    } else {
      alpha = rho / shadow_v;
    }
  }

  /// (If A is skew for this residual t^H s is 0, and if the residual is 0 so is t.)
  KOKKOS_FUNCTION void set_omega(const Sum& ts, double tt) {
    if (is_running()) omega = tt > 0 ? ts / tt : Sum(0);
  }

  KOKKOS_FUNCTION void advance(double rr, const Sum& shadow_r, double eps, double* history) {
    if (!is_running()) return;
    end_iteration(Kokkos::sqrt(rr), 0, history);
    if (!is_running()) return;
    beta = shadow_r / rho * (alpha / omega);
    rho = shadow_r;
    const bool is_lost = Kokkos::abs(rho) <= eps * Kokkos::sqrt(start_rr) * Kokkos::sqrt(rr);
    if (is_lost || !is_finite(Kokkos::abs(beta))) progress.status = SolveStatus::breakdown;
  }
};

/// BiCGStab as a method of SolveLoop:
///
///     r := b - A x,  shadow := r,  rho := r^H r,  p := r       start
///     until ||r|| is small enough
///       p^ := M^-1 p,  v := A p^                               product
///       alpha := rho / shadow^H v                              step length
///       s := r - alpha v
///       s^ := M^-1 s,  t := A s^                               product
///       omega := t^H s / t^H t                                 minimal residual
///       x := x + alpha p^ + omega s^
///       r := s - omega t
///       beta := shadow^H r / rho * alpha / omega,  rho := shadow^H r
///       p := r + beta (p - omega v)                            direction
///
/// r and s are one vector, and the direction is made where the next iteration begins. If rho or omega vanishes the
/// solve starts again from x, with the residual as its shadow.
///
/// Traffic  of an iteration, with vectors of n entries: twice the operator's and the preconditioner's, and 19n entries.
/// Source   van der Vorst 1992; Saad, Iterative Methods for Sparse Linear Systems, algorithm 7.7.
template <class Exec, class Op, class M, class Scalar>
class BiCgStab : public IterativeMethod<Exec, Op, M, Scalar, BiCgStabScalars<sum_t<Scalar>>> {
  using Sum = sum_t<Scalar>;
  using Base = IterativeMethod<Exec, Op, M, Scalar, BiCgStabScalars<Sum>>;
  using Base::a_, Base::m_, Base::x_, Base::memory_;
  static constexpr int parts = impl::parts_of_sum<Scalar>;
  static constexpr double precision = std::numeric_limits<real_t<Scalar>>::epsilon();

 public:
  using typename Base::Vector, typename Base::RightHandSide, typename Base::Scalars;
  static constexpr const char* name = "bicgstab";

  BiCgStab(const Exec& exec, const Op& a, const M& m, const SolverOptions&)
      : Base(exec, a, m, 1 + parts),
        r_(Base::vector(exec, "ashlar::bicgstab::r")),
        shadow_(Base::vector(exec, "ashlar::bicgstab::shadow")),
        p_(Base::vector(exec, "ashlar::bicgstab::p")),
        p_hat_(Base::preconditioned(exec, "ashlar::bicgstab::p_hat", p_)),
        v_(Base::vector(exec, "ashlar::bicgstab::v")),
        s_hat_(Base::preconditioned(exec, "ashlar::bicgstab::s_hat", r_)),
        t_(Base::vector(exec, "ashlar::bicgstab::t")) {}

  static constexpr std::int64_t products_of(std::int64_t iterations) { return 2 * iterations; }
  static constexpr bool is_proof(SolveStatus status) { return status != SolveStatus::breakdown; }

  const Vector& r() const { return r_; }

  void start(const Exec& exec, const RightHandSide& b) {
    Base::form_residual(exec, b, r_);
    Kokkos::deep_copy(exec, shadow_, r_);
    Base::dot(exec, r_, r_, 0);
    Base::sum_over_parts(exec, 0, 1);
    Base::change_scalars(
        "ashlar::bicgstab[begin]", exec, KOKKOS_LAMBDA(Scalars & s, const double* sums, double*) { s.begin(sums[0]); });
  }

  void iterate(const Exec& exec) {
    update_direction(exec);
    multiply(exec, p_, p_hat_, v_);
    inner_products(exec, "ashlar::bicgstab[v]", v_, shadow_, v_);
    set_alpha(exec);
    subtract_v(exec);
    multiply(exec, r_, s_hat_, t_);
    inner_products(exec, "ashlar::bicgstab[t]", t_, t_, r_);
    set_omega(exec);
    step(exec);
    advance(exec);
  }

  /// With one product, of two (products_of).
  std::int64_t traffic_bytes() const { return Base::traffic_bytes_with(19); }

  // nvcc takes no device lambda in a private member.

  /// p := r + beta (p - omega v)
  void update_direction(const Exec& exec) {
    const auto scalars = memory_.scalars;
    const auto r = r_, p = p_, v = v_;
    for_entries(
        "ashlar::bicgstab[direction]", exec, r.extent(0), KOKKOS_LAMBDA(std::int64_t i) {
          const Scalars& s = scalars();
          p(i) = s.beta == Sum(0) ? r(i) : r(i) + Scalar(s.beta) * (p(i) - Scalar(s.omega) * v(i));
        });
  }

  void set_alpha(const Exec& exec) {
    const double eps = precision;
    Base::change_scalars(
        "ashlar::bicgstab[alpha]", exec,
        KOKKOS_LAMBDA(Scalars & s, const double* sums, double*) { s.set_alpha(sums[0], number_of(sums + 1), eps); });
  }

  /// s := r - alpha v
  void subtract_v(const Exec& exec) {
    const auto scalars = memory_.scalars;
    const auto r = r_, v = v_;
    for_entries(
        "ashlar::bicgstab[s]", exec, r.extent(0), KOKKOS_LAMBDA(std::int64_t i) {
          if (scalars().is_running()) r(i) -= Scalar(scalars().alpha) * v(i);
        });
  }

  void set_omega(const Exec& exec) {
    Base::change_scalars(
        "ashlar::bicgstab[omega]", exec,
        KOKKOS_LAMBDA(Scalars & s, const double* sums, double*) { s.set_omega(number_of(sums + 1), sums[0]); });
  }

  void advance(const Exec& exec) {
    const double eps = precision;
    Base::change_scalars(
        "ashlar::bicgstab[advance]", exec, KOKKOS_LAMBDA(Scalars & s, const double* sums, double* history) {
          s.advance(sums[0], number_of(sums + 1), eps, history);
        });
  }

  KOKKOS_INLINE_FUNCTION static Sum number_of(const double* sums) {
    if constexpr (parts == 2) {
      return Sum(sums[0], sums[1]);
    } else {
      return sums[0];
    }
  }

 private:
  /// sums := u^H u and v^H w over all parts
  void inner_products(const Exec& exec, const char* label, const Vector& u, const Vector& v, const Vector& w) {
    add_up(exec, label, impl::SquareAndProduct<Scalar>{u.data(), v.data(), w.data()});
  }

  /// x += alpha p^ + omega s^, r := s - omega t, and r^H r and shadow^H r over all parts
  void step(const Exec& exec) {
    add_up(exec, "ashlar::bicgstab[step]",
           impl::BiCgStabStep<Scalars, Scalar>{memory_.scalars.data(), p_hat_.data(), s_hat_.data(), t_.data(),
                                               shadow_.data(), x_.data(), r_.data()});
  }

  template <class Pass>
  void add_up(const Exec& exec, const char* label, const Pass& pass) {
    sum_over_entries<1 + parts>(label, exec, r_.extent(0), memory_.team_sums.access(), slots(), pass);
    Base::sum_over_parts(exec, 0, 1 + parts);
  }

  /// to := M^-1 from, product := A to
  void multiply(const Exec& exec, const Vector& from, const Vector& to, const Vector& product) {
    if (!m_.is_identity()) m_.apply(exec, from, to);
    a_.apply(exec, to, product);
  }

  Kokkos::Array<double*, 1 + parts> slots() const {
    Kokkos::Array<double*, 1 + parts> slots;
    for (int k = 0; k <= parts; ++k) slots[k] = memory_.sums.data() + k;
    return slots;
  }

  Vector r_, shadow_, p_, p_hat_, v_, s_hat_, t_;
};

/// Solves A x = b for any invertible A by BiCGStab, preconditioned from the right. It takes seven vectors at most,
/// where gmres() takes some thirty; its residual may rise and fall.
///
/// Shapes   b and x are vectors of a.space().num_local() entries, the local part. x holds the first guess.
/// Memory   b and x reachable from `exec`, and apart; allocates five vectors (seven with a preconditioner), and one for
///          the best x; nothing in the iterations.
/// Async    as of cg(), but for a persistent kernel, of which there is none.
/// Result   the status, and the true residual ||b - A x|| / ||b|| computed from the final x. An iteration has two
///          products with A. `breakdown`: the first step from x fails, as for a skew-symmetric A; take gmres().
/// Throws   ShapeError, ArgumentError before any work, on all parts of the system.
/// Source   van der Vorst 1992.
template <execution_space Exec, class Op, class M, class B, class X>
SolveReport bicgstab(const Exec& exec, const Op& a, const M& m, const B& b, const X& x,
                     const SolverOptions& options = {}) {
  return impl::solve_once<BiCgStab>(exec, a, m, b, x, options);
}

/// Bytes that bicgstab() allocates where vectors are, for n entries of the local part, all real.
inline std::uint64_t bicgstab_bytes(std::int64_t n, std::size_t bytes_of_entry, bool preconditioned) {
  return impl::method_bytes(n, preconditioned ? 8 : 6, bytes_of_entry, sizeof(BiCgStabScalars<double>), 2);
}

}  // namespace ashlar
