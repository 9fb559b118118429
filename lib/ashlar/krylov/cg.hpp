#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/axpby.hpp>
#include <ashlar/blas1/cg_steps.hpp>
#include <ashlar/blas1/dot.hpp>
#include <ashlar/blas1/norm2.hpp>
#include <ashlar/blas1/norm_inf.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/identity_preconditioner.hpp>
#include <ashlar/krylov/impl/cg_state.hpp>
#include <ashlar/krylov/report.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

namespace ashlar {

struct CgOptions {
  double rtol = 1e-8;  ///< converged when ||b - A x|| <= max(rtol * ||b||, atol)
  double atol = 0;
  int max_iterations = 10000;
  /// Iterations without a new smallest residual that count as stagnation; 0: the larger of 2000 and the number of rows.
  /// (Ill-conditioned matrices rest for long on plateaus; without rounding CG would be done after num_rows iterations.)
  int stagnation_window = 0;
  int check_interval = 0;  ///< iterations between the host's looks; 0: 1 on CPUs, 16 on GPUs
  /// Called at each look with the iterations done and ||r|| / ||b||; for progress lines.
  std::function<void(int, double)> monitor = {};
};

namespace impl {

/// r := b - A x
template <class Exec, class Op, class B, class X, class R>
void form_residual(const Exec& exec, const Op& a, const B& b, const X& x, const R& r) {
  a.apply(exec, x, r);
  axpby(exec, 1, b, -1, r);
}

/// r := b - A x, z := M^-1 r, p := z, and their inner products: where CG starts, and starts again.
template <class Exec, class Op, class M, class Memory, class B, class X>
void cg_start(const Exec& exec, const Op& a, const M& m, const Memory& memory, double target, const B& b, const X& x,
              bool restarts) {
  form_residual(exec, a, b, x, memory.r);
  m.apply(exec, memory.r, memory.z);
  Kokkos::deep_copy(exec, memory.p, memory.z);
  norm2_squared(exec, memory.r, memory.state.rr);
  dot(exec, memory.r, memory.z, memory.state.rz_next);
  cg_begin(exec, memory.state, target, restarts);
}

/// Without a preconditioner z is r, and nothing is copied.
template <class M>
inline constexpr bool is_preconditioned = !std::is_same_v<M, IdentityPreconditioner>;

inline void check_options(const char* solver, const CgOptions& options) {
  if (!(options.rtol >= 0) || !(options.atol >= 0)) {
    throw ArgumentError(text(solver, ": tolerances rtol ", options.rtol, ", atol ", options.atol),
                        "a tolerance is not negative", "pass for instance rtol 1e-8");
  }
  if (options.max_iterations < 0 || options.stagnation_window < 0 || options.check_interval < 0) {
    throw ArgumentError(text(solver, ": max_iterations ", options.max_iterations, ", stagnation_window ",
                             options.stagnation_window, ", check_interval ", options.check_interval),
                        "they count iterations", "pass positive numbers");
  }
}

/// ||b||. Where that is 0 the solution is, too: x := 0.
template <class Exec, class B, class X>
double norm_of_right_hand_side(const Exec& exec, const char* solver, const B& b, const X& x) {
  const double norm = norm2(exec, b);
  if (norm != 0) return norm;
  if (const auto largest = norm_inf(exec, b); largest > 0) {
    throw NumericalError(text(solver, ": the squares of b underflow (its largest entry is ", largest, ")"),
                         "its norm cannot be computed", "scale the system by a power of ten");
  }
  Kokkos::deep_copy(exec, x, typename X::non_const_value_type(0));
  exec.fence("ashlar::cg: x = 0 for b = 0");
  return norm;
}

template <class B, class X>
void check_lengths(const char* solver, std::int64_t n, const B& b, const X& x) {
  if (std::int64_t(b.extent(0)) != n || std::int64_t(x.extent(0)) != n) {
    throw ShapeError(text(solver, ": b has ", b.extent(0), " entries and x has ", x.extent(0)),
                     text("the matrix has ", n, " rows"), "pass vectors as long as the matrix is high");
  }
}

/// cg() within memory that is there; ||b|| is known, and not 0.
template <class Exec, class Op, class M, class B, class X, class Memory>
SolveReport cg_within(const Memory& memory, const Exec& exec, const Op& a, const M& m, const B& b, double norm_b,
                      const X& x, const CgOptions& options) {
  using Scalar = typename X::non_const_value_type;
  const Kokkos::Profiling::ScopedRegion region("ashlar::cg");
  const std::int64_t n = a.num_rows();
  const auto &r = memory.r, &z = memory.z, &p = memory.p, &q = memory.q;
  const auto& s = memory.state;
  const auto& progress = memory.progress;
  const double target = std::max(options.rtol * norm_b, options.atol);
  const double eps = std::numeric_limits<real_t<Scalar>>::epsilon();
  const CgLimits limits{target, eps * eps * norm_b,
                        options.stagnation_window > 0
                            ? options.stagnation_window
                            : static_cast<int>(std::clamp<std::int64_t>(n, 2000, std::numeric_limits<int>::max()))};
  const int interval = options.check_interval > 0 ? options.check_interval : is_gpu_v<Exec> ? 16 : 1;

  const auto look = [&] {
    Kokkos::deep_copy(exec, progress, s.progress);
    exec.fence("ashlar::cg: progress");
    if (options.monitor) options.monitor(progress().iterations, progress().last / norm_b);
  };

  cg_start(exec, a, m, memory, target, b, x, false);
  look();
  double residual = progress().last;  // the true one, of the x at the last (re)start
  SolveStatus verdict = progress().status;
  std::int64_t applications = 1, products = 1;
  while (progress().status == SolveStatus::running) {
    for (int k = 1; k <= options.max_iterations - progress().iterations; ++k) {
      a.apply(exec, p, q);
      ++products;
      dot(exec, p, q, s.pq);
      cg_step(exec, s.running, s.rz, s.pq, p, q, x, r, s.rr);
      m.apply(exec, r, z);
      dot(exec, r, z, s.rz_next);
      cg_advance(exec, s, limits);
      cg_direction(exec, s.running, s.beta, z, p);
      if (k == interval) break;
    }
    look();
    verdict = progress().status;
    if (verdict == SolveStatus::running && progress().iterations < options.max_iterations) continue;

    // The end, by the recurrence. What counts is the residual of the x in hand.
    cg_start(exec, a, m, memory, target, b, x, true);
    look();
    ++applications, ++products;
    const double before = residual;
    residual = progress().last;
    if (progress().status != SolveStatus::running) {
      // Small enough, or no longer a number. Where the recurrence found a fault, that is the one to report.
      if (progress().status == SolveStatus::converged || verdict == SolveStatus::converged) {
        verdict = progress().status;
      }
      break;
    }
    if (verdict == SolveStatus::running) verdict = SolveStatus::iteration_limit;
    if (verdict != SolveStatus::converged) break;
    // The recurrence has drifted from the residual: start again from here, as long as that gains something.
    if (progress().iterations >= options.max_iterations) {
      verdict = SolveStatus::iteration_limit;
      break;
    }
    if (!(residual <= 0.5 * before)) {
      verdict = SolveStatus::stagnation;
      break;
    }
  }

  SolveReport report;
  report.status = verdict;
  report.iterations = progress().iterations;
  report.products = products;
  report.relative_residual = residual / norm_b;
  const auto done = std::make_pair(std::size_t(0), std::size_t(report.iterations) + 1);
  Kokkos::deep_copy(exec, Kokkos::subview(memory.history, done), Kokkos::subview(s.history, done));
  exec.fence("ashlar::cg: history");
  for (int k = 0; k <= report.iterations; ++k) report.residual_history.push_back(memory.history(k) / norm_b);
  const std::int64_t vector_bytes = n * std::int64_t(sizeof(Scalar));
  // Vectors an iteration: dot 2, step 6, dot 2, direction 3.
  report.bytes_moved = (report.iterations + applications) * (a.traffic_bytes() + m.traffic_bytes()) +
                       report.iterations * 13 * vector_bytes;
  return report;
}

}  // namespace impl

/// Solves A x = b by the preconditioned conjugate gradient method.
///
/// Shapes   A is square with num_rows() rows; b and x are vectors of that length. x holds the first guess.
/// Memory   b and x reachable from `exec`; allocates four vectors (three without a preconditioner) and the history of
///          max_iterations + 1 doubles at the start, and nothing in the iterations.
/// Async    returns when the solve has ended. All work is enqueued on `exec`; the scalars stay on the device, and the
///          host looks at them every check_interval iterations. The iterates and the count do not depend on that.
/// Result   the status, and the true residual ||b - A x|| / ||b|| computed from the final x. Where the recurrence
///          claims convergence and the true residual does not bear it out, CG starts again from x; where even that
///          gains nothing, the status is stagnation.
/// Throws   ShapeError, ArgumentError before any work; NumericalError where b is so small that its norm underflows.
/// Source   Hestenes & Stiefel 1952; Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.1.
template <execution_space Exec, class Op, class M, vector_view B, vector_view X>
SolveReport cg(const Exec& exec, const Op& a, const M& m, const B& b, const X& x, const CgOptions& options = {}) {
  static_assert(linear_operator<Op, Exec, X>, "ashlar::cg: A must be a linear operator on vectors of the type of x");
  static_assert(preconditioner<M, Exec, X>, "ashlar::cg: M must be a preconditioner of vectors of the type of x");
  static_assert(!std::is_const_v<typename X::value_type>, "ashlar::cg: x must be writable");
  impl::check_lengths("cg", a.num_rows(), b, x);
  impl::check_options("cg", options);
  const double norm_b = impl::norm_of_right_hand_side(exec, "cg", b, x);
  if (norm_b == 0) return {.status = SolveStatus::converged, .residual_history = {0.0}};
  const impl::CgMemory<typename X::non_const_value_type, typename X::memory_space> memory(
      exec, a.num_rows(), impl::is_preconditioned<M>, options.max_iterations);
  return impl::cg_within(memory, exec, a, m, b, norm_b, x, options);
}

}  // namespace ashlar
