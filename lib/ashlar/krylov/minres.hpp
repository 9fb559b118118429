#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/method.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver.hpp>
#include <ashlar/krylov/symmetry_of_products.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ashlar {

/// The scalars of MINRES: a Hermitian tridiagonal matrix T and its rotations. All are real.
struct MinresScalars : IterationScalars {
  double gamma_before = 1, gamma = 0, gamma_next = 0;  ///< sqrt(v^H M^-1 v) of the last Lanczos vectors
  double delta = 0;                                    ///< z^H A z / gamma^2
  double cosine_before = 1, cosine = 1, sine_before = 0, sine = 0;
  double eta = 0;                              ///< |eta| = sqrt(r^H M^-1 r)
  double diagonal = 1, upper = 0, upper2 = 0;  ///< a column of R
  double step = 0;                             ///< of x along w
  bool steps = false;
  double norm_of_a = 0;  ///< the square of a lower bound: the largest column of T
  int idle = 0;          ///< steps in a row that left the residual as it was

  /// After so many the residual has no part in the range of A, if A nearly maps it to 0.
  static constexpr int most_idle = 3;

  KOKKOS_FUNCTION void begin(double rr, double rz, double zz) {
    IterationScalars::begin(rr, rz, zz);
    gamma_before = cosine_before = cosine = 1;
    sine_before = sine = norm_of_a = 0;
    idle = 0;
    steps = false;
    if (is_running() && !is_finite(rz)) progress.status = SolveStatus::non_finite;
    if (is_running() && rz <= 0) progress.status = SolveStatus::breakdown;
    gamma = eta = is_running() ? Kokkos::sqrt(rz) : 0;
  }

  KOKKOS_FUNCTION void set_delta(double zaz) {
    if (is_running()) delta = zaz / (gamma * gamma);
  }

  /// The next rotation, from v^H M^-1 v of the next Lanczos vector; `eps` is the vectors' precision.
  KOKKOS_FUNCTION void rotate(double vz, double eps) {
    steps = false;
    if (!is_running()) return;
    if (!is_finite(vz) || !is_finite(delta)) {
      progress.status = SolveStatus::non_finite;
      return;
    }
    if (vz < 0) {
      progress.status = SolveStatus::breakdown;
      return;
    }
    gamma_next = Kokkos::sqrt(vz);
    const double left = cosine * delta - cosine_before * sine * gamma;
    upper = sine * delta + cosine_before * cosine * gamma;
    upper2 = sine_before * gamma;
    diagonal = Kokkos::hypot(left, gamma_next);
    norm_of_a = Kokkos::max(norm_of_a, delta * delta + gamma * gamma + gamma_next * gamma_next);
    // (||A r|| / ||r||, of the residual before this step: Paige & Saunders 1975)
    const double of_residual = Kokkos::hypot(left, cosine * gamma_next);
    const bool is_mapped_to_0 = of_residual * of_residual <= 100 * eps * norm_of_a,
               is_idle = left * left <= 500 * eps * diagonal * diagonal;
    const bool can_tell = eps < 1e-10;  // floats lose the Lanczos vectors before that shows
    idle = can_tell && is_mapped_to_0 && is_idle ? idle + 1 : 0;
    if (!(diagonal > 0) || idle >= most_idle) {
      progress.status = SolveStatus::stagnation;  // A is singular, and b not in its range
      return;
    }
    cosine_before = cosine;
    sine_before = sine;
    cosine = left / diagonal;
    sine = gamma_next / diagonal;
    step = cosine * eta;
    eta = -sine * eta;
    steps = true;
  }

  /// Ends an iteration with a residual of this norm.
  KOKKOS_FUNCTION void advance(double norm, double* history) {
    if (!is_running()) return;
    end_iteration(norm, 0, history);
    gamma_before = gamma;
    gamma = gamma_next;
    if (is_running() && gamma == 0) progress.status = SolveStatus::accuracy_limit;
  }
};

/// MINRES as a method of SolveLoop, for Hermitian A, which may be indefinite, and Hermitian positive definite M:
///
///     v := r := b - A x,  z := M^-1 v,  gamma := sqrt(v^H z)               start
///     until ||r|| is small enough
///       q := A z / gamma                                                   Lanczos
///       delta := z^H q / gamma
///       v_next := q - delta / gamma v - gamma / gamma_before v_before
///       z_next := M^-1 v_next,  gamma_next := sqrt(v_next^H z_next)
///       a rotation makes the column (.., gamma, delta, gamma_next) of T a column of R      (MinresScalars::rotate)
///       w_next := (z / gamma - upper w - upper2 w_before) / diagonal       direction
///       x := x + step w_next
///       r := sine^2 r + cosine eta v_next / gamma_next
///
/// r has the residual's recurrence: M^-1 r with the preconditioned norm. Without a preconditioner, and by the natural
/// norm, |eta| is the norm, and nobody needs r.
///
/// Traffic  of an iteration, with vectors of n entries: the operator's, and 10n entries; with a preconditioner its own
///          and 3n more, but by the natural norm; 2n more without dot_operator, and without dot_preconditioner.
/// Source   Paige & Saunders 1975; Elman, Silvester & Wathen, Finite Elements and Fast Iterative Solvers,
/// algorithm 4.1.
template <class Exec, class Op, class M, class Scalar>
class Minres : public IterativeMethod<Exec, Op, M, Scalar, MinresScalars> {
  using Base = IterativeMethod<Exec, Op, M, Scalar, MinresScalars>;
  using Base::a_, Base::m_, Base::x_, Base::memory_;
  using Real = real_t<Scalar>;

 public:
  using typename Base::Vector, typename Base::RightHandSide;
  static constexpr const char* name = "minres";
  enum Sum : int { rr, vz, zz, zq };  ///< r^H r, v^H z, z^H z, z^H A z

  Minres(const Exec& exec, const Op& a, const M& m, const SolverOptions& options)
      : Base(exec, a, m, 4),
        follows_r_(!m.is_identity() && options.norm != ResidualNorm::natural),
        of_z_(options.norm == ResidualNorm::preconditioned),
        v_{Base::vector(exec, "ashlar::minres::v0"), Base::vector(exec, "ashlar::minres::v1")},
        z_{Base::preconditioned(exec, "ashlar::minres::z0", v_[0]),
           Base::preconditioned(exec, "ashlar::minres::z1", v_[1])},
        w_{Base::vector(exec, "ashlar::minres::w0"), Base::vector(exec, "ashlar::minres::w1")},
        q_(Base::vector(exec, "ashlar::minres::q")),
        r_(follows_r_ ? Base::vector(exec, "ashlar::minres::r") : Vector()) {}

  /// Two iterations: vectors change places.
  static constexpr int period = 2;

  static constexpr bool has_preconditioned_norms = true;
  const Vector& r() const { return v_[0]; }
  const Vector& z() const { return z_[0]; }

  static constexpr const char* unsuited =
      "A is not symmetric, by two products with pseudo-random vectors; MINRES needs a symmetric matrix";
  bool is_unsuited(const Exec& exec, std::int64_t& products) const {
    const double tolerance = std::max(1e-8, 10 * double(std::numeric_limits<Real>::epsilon()));
    const auto found = symmetry_of_products<Scalar>(exec, a_);
    if (!found) return false;
    products += 2;
    return is_finite(found->magnitude) && !found->is_symmetric(tolerance);
  }

  void start(const Exec& exec, const RightHandSide& b) {
    now_ = 0;
    Base::form_residual(exec, b, v_[0]);
    Base::dot(exec, v_[0], v_[0], rr);
    if (!m_.is_identity()) {
      Base::precondition_dot(exec, v_[0], z_[0], vz);
      Base::dot(exec, z_[0], z_[0], zz);
    }
    if (follows_r_) Kokkos::deep_copy(exec, r_, of_z_ ? z_[0] : v_[0]);
    Kokkos::deep_copy(exec, v_[1], Scalar(0));
    for (const Vector& w : w_) Kokkos::deep_copy(exec, w, Scalar(0));
    Base::sum_over_parts(exec, rr, m_.is_identity() ? 1 : 3);
    begin(exec);
  }

  void iterate(const Exec& exec) {
    Base::multiply_dot(exec, z_[now_], q_, zq);
    Base::sum_over_parts(exec, zq, 1);
    set_delta(exec);
    next_lanczos_vector(exec);
    if (!m_.is_identity()) Base::precondition_dot(exec, v_[1 - now_], z_[1 - now_], vz);
    Base::sum_over_parts(exec, vz, 1);
    rotate(exec);
    step(exec);
    if (follows_r_) Base::sum_over_parts(exec, rr, 1);
    advance(exec);
    now_ = 1 - now_;
  }

  std::int64_t traffic_bytes() const {
    const std::int64_t vectors = 10 + (follows_r_ ? 3 : 0) + (dot_operator<Op, Exec, Vector> ? 0 : 2) +
                                 (m_.is_identity() || dot_preconditioner<M, Exec, Vector> ? 0 : 2);
    return Base::traffic_bytes_with(vectors);
  }

  // nvcc takes no device lambda in a private member.

  void begin(const Exec& exec) {
    const bool identity = m_.is_identity();
    Base::change_scalars(
        "ashlar::minres[begin]", exec, KOKKOS_LAMBDA(MinresScalars & s, const double* sums, double*) {
          s.begin(sums[rr], identity ? sums[rr] : sums[vz], identity ? sums[rr] : sums[zz]);
        });
  }

  void set_delta(const Exec& exec) {
    Base::change_scalars(
        "ashlar::minres[delta]", exec,
        KOKKOS_LAMBDA(MinresScalars & s, const double* sums, double*) { s.set_delta(sums[zq]); });
  }

  /// v_next := A z / gamma - delta / gamma v - gamma / gamma_before v_before, in the place of v_before, and its square.
  void next_lanczos_vector(const Exec& exec) {
    const auto scalars = memory_.scalars;
    const auto q = q_, v = v_[now_], next = v_[1 - now_];
    sum_over_entries<1>(
        "ashlar::minres[lanczos]", exec, q.extent(0), memory_.team_sums.access(), {memory_.sums.data() + vz},
        KOKKOS_LAMBDA(std::int64_t i, double(&sum)[1]) {
          const MinresScalars& s = scalars();
          if (!s.is_running()) return;
          const Scalar entry =
              Real(1 / s.gamma) * q(i) - Real(s.delta / s.gamma) * v(i) - Real(s.gamma / s.gamma_before) * next(i);
          next(i) = entry;
          sum[0] += real_product(entry, entry);
        });
  }

  void rotate(const Exec& exec) {
    const double eps = std::numeric_limits<Real>::epsilon();
    Base::change_scalars(
        "ashlar::minres[rotate]", exec,
        KOKKOS_LAMBDA(MinresScalars & s, const double* sums, double*) { s.rotate(sums[vz], eps); });
  }

  /// w_next := (z / gamma - upper w - upper2 w_before) / diagonal, in the place of w_before, x += step w_next, and r
  /// with its square.
  void step(const Exec& exec) {
    const auto scalars = memory_.scalars;
    const auto x = x_, z = z_[now_], w = w_[now_], next = w_[1 - now_], r = r_;
    const auto of_r = of_z_ ? z_[1 - now_] : v_[1 - now_];
    const bool follows_r = follows_r_;
    sum_over_entries<1>(
        "ashlar::minres[step]", exec, x.extent(0), memory_.team_sums.access(), {memory_.sums.data() + rr},
        KOKKOS_LAMBDA(std::int64_t i, double(&sum)[1]) {
          const MinresScalars& s = scalars();
          if (!s.steps) return;
          const Scalar direction =
              Real(1 / s.diagonal) * (Real(1 / s.gamma) * z(i) - Real(s.upper) * w(i) - Real(s.upper2) * next(i));
          next(i) = direction;
          x(i) += Real(s.step) * direction;
          if (!follows_r) return;
          const double along = s.gamma_next > 0 ? s.cosine * s.eta / s.gamma_next : 0;
          r(i) = Real(s.sine * s.sine) * r(i) + Real(along) * of_r(i);
          sum[0] += real_product(r(i), r(i));
        });
  }

  void advance(const Exec& exec) {
    const bool follows_r = follows_r_;
    Base::change_scalars(
        "ashlar::minres[advance]", exec, KOKKOS_LAMBDA(MinresScalars & s, const double* sums, double* history) {
          s.advance(follows_r ? Kokkos::sqrt(sums[rr]) : Kokkos::abs(s.eta), history);
        });
  }

 private:
  bool follows_r_, of_z_;  ///< whether r has a recurrence, and whether that is of M^-1 r
  std::array<Vector, 2> v_, z_, w_;
  int now_ = 0;  ///< which of these are of the iteration; the others are of the one before, and become the next
  Vector q_, r_;
};

/// Solves A x = b for Hermitian A, which may be indefinite, by MINRES. The preconditioner is Hermitian positive
/// definite.
///
/// Shapes   b and x are vectors of a.space().num_local() entries, the local part. x holds the first guess.
/// Memory   b and x reachable from `exec`, and apart; allocates five vectors (eight with a preconditioner), and one for
///          the best x; nothing in the iterations.
/// Async    as of cg(), but for a persistent kernel, of which there is none.
/// Ranks    all of one kind: hosts and devices round scalars differently, and would end at different iterations.
/// Result   the status, and the true residual ||b - A x|| / ||b|| computed from the final x. `breakdown`: M is not
///          positive definite. `stagnation` also means that A is singular and b is not in its range.
/// Throws   ShapeError, ArgumentError before any work, on all parts of the system.
/// Source   Paige & Saunders 1975.
template <execution_space Exec, class Op, class M, class B, class X>
SolveReport minres(const Exec& exec, const Op& a, const M& m, const B& b, const X& x,
                   const SolverOptions& options = {}) {
  return impl::solve_once<Minres>(exec, a, m, b, x, options);
}

/// Bytes that minres() allocates where vectors are, for n entries of the local part; a vector less by the natural norm.
inline std::uint64_t minres_bytes(std::int64_t n, std::size_t bytes_of_entry, bool preconditioned) {
  return impl::method_bytes(n, preconditioned ? 9 : 6, bytes_of_entry, sizeof(MinresScalars), 4);
}

}  // namespace ashlar
