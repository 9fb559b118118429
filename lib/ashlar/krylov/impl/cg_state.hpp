#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/krylov/report.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ashlar::impl {

/// What the host looks at now and then.
struct CgProgress {
  SolveStatus status = SolveStatus::running;
  int iterations = 0;
  int best_iteration = 0;
  double best = 0;  // the smallest ||r|| so far, and when
  double last = 0;  // ||r|| now
};

/// When the iteration ends.
struct CgLimits {
  double target;  // ||r|| that counts as converged
  double floor;   // ||r|| of the recurrence below which rounding does not let x follow: nothing is left to gain
  int window;     // iterations without a new smallest ||r|| that count as stagnation
};

/// The scalars of CG, which live on the device: the host enqueues iterations without knowing any of them. They are
/// double whatever the vectors hold: squares of floats overflow early, and long sums of them stall.
template <class Space>
struct CgState {
  using Scalar = Kokkos::View<double, Space>;

  /// Zeros, set on `exec`.
  template <class Exec>
  CgState(const Exec& exec, int max_iterations)
      : rz(Kokkos::view_alloc(exec, "ashlar::cg::rz")),
        rz_next(Kokkos::view_alloc(exec, "ashlar::cg::rz_next")),
        pq(Kokkos::view_alloc(exec, "ashlar::cg::pq")),
        rr(Kokkos::view_alloc(exec, "ashlar::cg::rr")),
        beta(Kokkos::view_alloc(exec, "ashlar::cg::beta")),
        running(Kokkos::view_alloc(exec, "ashlar::cg::running")),
        progress(Kokkos::view_alloc(exec, "ashlar::cg::progress")),
        history(Kokkos::view_alloc(exec, "ashlar::cg::history"), std::size_t(max_iterations) + 1) {}

  Scalar rz, rz_next, pq, rr, beta;
  Kokkos::View<bool, Space> running;
  Kokkos::View<CgProgress, Space> progress;
  Kokkos::View<double*, Space> history;  // ||r_k||
};

/// What CG works in: the memory of one solve after another, of which nothing is kept in between.
template <class Scalar, class Space>
struct CgMemory {
  using Vector = Kokkos::View<Scalar*, Space>;
  using State = CgState<Space>;

  /// Without a preconditioner z is r.
  template <class Exec>
  CgMemory(const Exec& exec, std::int64_t n, bool preconditioned, int max_iterations)
      : r(vector("ashlar::cg::r", n)),
        z(preconditioned ? vector("ashlar::cg::z", n) : r),
        p(vector("ashlar::cg::p", n)),
        q(vector("ashlar::cg::q", n)),
        state(exec, max_iterations),
        progress(Kokkos::create_mirror_view(Kokkos::WithoutInitializing, state.progress)),
        history(Kokkos::create_mirror_view(Kokkos::WithoutInitializing, state.history)) {}

  static Vector vector(const std::string& name, std::int64_t n) {
    return Vector(Kokkos::view_alloc(Kokkos::WithoutInitializing, name), n);
  }

  Vector r, z, p, q;
  State state;
  typename Kokkos::View<CgProgress, Space>::host_mirror_type progress;
  typename Kokkos::View<double*, Space>::host_mirror_type history;
};

/// Starts (or restarts) the iteration from the residual whose norm is in rr and whose r^H z is in rz_next.
template <class Exec, class State>
void cg_begin(const Exec& exec, const State& s, double target, bool restarts) {
  Kokkos::parallel_for(
      "ashlar::cg_begin", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
        CgProgress& now = s.progress();
        if (!restarts) now = CgProgress{};
        const double norm = Kokkos::sqrt(s.rr());
        now.status = !Kokkos::isfinite(norm)          ? SolveStatus::non_finite
                     : norm <= target                 ? SolveStatus::converged
                     : !Kokkos::isfinite(s.rz_next()) ? SolveStatus::non_finite
                     : !(s.rz_next() > 0)             ? SolveStatus::breakdown
                                                      : SolveStatus::running;
        now.best = now.last = norm;
        now.best_iteration = now.iterations;
        if (now.iterations == 0) s.history(0) = norm;
        s.rz() = s.rz_next();
        s.beta() = 0;
        s.running() = now.status == SolveStatus::running;
      });
}

/// Counts an iteration, judges it, and prepares the next: the only place where CG decides anything.
template <class Exec, class State>
void cg_advance(const Exec& exec, const State& s, CgLimits limits) {
  Kokkos::parallel_for(
      "ashlar::cg_advance", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
        if (!s.running()) return;
        CgProgress& now = s.progress();
        const double pq = s.pq(), rz_next = s.rz_next();
        if (!Kokkos::isfinite(pq) || !Kokkos::isfinite(s.rz() / pq)) {
          // A p overflowed or holds NaN; 0/0 and x/0 are no overflow but a direction without curvature.
          now.status = pq == 0 ? SolveStatus::indefinite_matrix : SolveStatus::non_finite;
        } else if (!(pq > 0)) {
          now.status = SolveStatus::indefinite_matrix;
        } else {
          const double norm = Kokkos::sqrt(s.rr());
          s.history(++now.iterations) = now.last = norm;
          if (norm < now.best) {
            now.best = norm;
            now.best_iteration = now.iterations;
          }
          if (!Kokkos::isfinite(norm)) {
            now.status = SolveStatus::non_finite;
          } else if (norm <= limits.target) {
            now.status = SolveStatus::converged;
          } else if (norm <= limits.floor || now.iterations - now.best_iteration >= limits.window) {
            now.status = SolveStatus::stagnation;
          } else if (!Kokkos::isfinite(rz_next)) {
            now.status = SolveStatus::non_finite;
          } else if (!(rz_next > 0)) {
            now.status = SolveStatus::breakdown;
          }
          s.beta() = rz_next / s.rz();
          s.rz() = rz_next;
        }
        s.running() = now.status == SolveStatus::running;
      });
}

}  // namespace ashlar::impl
