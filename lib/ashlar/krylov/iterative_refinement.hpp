#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/norms.hpp>
#include <ashlar/krylov/impl/on_all_parts.hpp>
#include <ashlar/krylov/impl/require_system.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ashlar {

struct RefinementOptions {
  double rtol = 1e-12;  ///< converged when ||b - A x|| <= max(rtol * ||b||, atol)
  double atol = 0;
  /// By how much each step is to lower the residual, unless less is left to do. No step gains more than the cheaper
  /// matrix is near to A: asking for more costs iterations, for less steps, which begin without CG's memory.
  double inner_rtol = 1e-5;
  int max_iterations = 10000;  ///< of all steps together
  int stagnation_window = 0;   ///< CgOptions::stagnation_window, within a step
  /// CgOptions::check_interval. Iterations behind the end of each step are products all the same: where those take
  /// long, as with a streamed matrix, 1 is best.
  int check_interval = 0;
  CgLaunch launch = CgLaunch::automatic;  ///< of the iterations with the cheaper matrix
  /// CgOptions::copy_bytes, of the cheaper matrix.
  std::uint64_t copy_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Called at each check with the iterations done and about ||b - A x|| / ||b||, as the cheaper matrix has it; may
  /// stop the solve.
  Monitor monitor = {};
};

/// Solves A x = b to the accuracy of A, with conjugate gradients on a cheaper matrix near it: x := x + d, where d is a
/// rough solution of low * d = b - A x, until the true residual is small enough. Only one product a step is with A.
///
/// `low` is for instance the matrix of the same values in single precision, which multiplies vectors of doubles
/// (convert_values<float>, SpmvOptions::double_vectors), in memory or streamed: half the bytes.
///
/// Shapes   A and low are square with as many rows; b and x are vectors of that length. x holds the first guess.
/// Memory   b and x reachable from `exec`, and apart; allocates six vectors (five without a preconditioner) and some
///          100 KB at the start, where it is worth it a copy of `low` (CgOptions::copy_bytes), and nothing in the
///          steps.
/// Async    returns when the solve has ended. All work is enqueued on `exec`; the host checks as in cg(), and waits
///          for the norm of each step's residual.
/// Result   the status, and the true residuals. x changes only where that makes its residual smaller. Where a step does
///          not halve it, the status says why: what ended the solve with low (indefinite_matrix where low is not
///          positive definite, be it by rounding), or accuracy_limit, where low is too far from A or rounding of b - A
///          x leaves nothing to gain.
/// Throws   ShapeError, ArgumentError before any work, on all parts of the system, as cg() does.
/// Source   Wilkinson 1963; Carson & Higham 2018, with CG for the corrections.
template <execution_space Exec, class A, class Low, class M, class B, class X>
RefinementReport refined_cg(const Exec& exec, const A& a, const Low& low, const M& m, const B& b, const X& x,
                            const RefinementOptions& options = {}) {
  using Scalar = typename X::non_const_value_type;
  using Vector = Kokkos::View<Scalar*, typename Exec::memory_space>;
  static_assert(impl::SystemOfOneVector<Exec, A, M, B, X>::value);
  static_assert(impl::SystemOfOneVector<Exec, Low, M, B, Vector>::value);
  const auto space = a.space();
  const std::int64_t n = space.num_local();
  impl::check_on_all_parts(space, "refined_cg", [&] {
    require_square("refined_cg", a);
    impl::check_vectors("refined_cg", n, b, x);
    if (std::int64_t(low.space().num_local()) != n) {
      throw ShapeError(text("refined_cg: matrices of ", n, " and ", low.space().num_local(), " rows"),
                       "one is to be near the other", "make both of the same matrix");
    }
    check_stopping("refined_cg", options.rtol, options.atol, options.max_iterations, options.stagnation_window,
                   options.check_interval);
    if (!(options.inner_rtol >= 0 && options.inner_rtol < 1)) {
      throw ArgumentError(text("refined_cg: inner_rtol ", options.inner_rtol),
                          "it is the part of the residual that a step may leave", "pass for instance 1e-5");
    }
  });
  impl::require_same_on_all_parts(space, "refined_cg",
                                  {{"rtol", options.rtol},
                                   {"atol", options.atol},
                                   {"inner_rtol", options.inner_rtol},
                                   {"max_iterations", double(options.max_iterations)},
                                   {"stagnation_window", double(options.stagnation_window)},
                                   {"check_interval", double(options.check_interval)},
                                   {"launch", double(options.launch)},
                                   {"a monitor that may stop", double(options.monitor.may_stop())}});
  const Kokkos::Profiling::ScopedRegion region("ashlar::refined_cg");

  const auto r = impl::new_vector<Vector>(exec, "ashlar::refined_cg::r", n),
             d = impl::new_vector<Vector>(exec, "ashlar::refined_cg::d", n);
  Solver<StandardCg<Exec, Low, M, Scalar>> corrections(
      exec, low, m,
      {.max_iterations = options.max_iterations, .launch = options.launch, .copy_bytes = options.copy_bytes});
  const auto& memory = corrections.method().memory();
  const double scale = impl::scale_of_right_hand_side(exec, space, b, impl::global_norm(exec, space, memory, b));
  if (scale == 0) {
    Kokkos::deep_copy(exec, x, Scalar(0));
    exec.fence("ashlar::refined_cg: x = 0 for b = 0");
    return {.status = SolveStatus::converged, .residual_history = {0.0}};
  }
  impl::scale_vector(exec, x, scale);
  axpby(exec, Scalar(real_t<Scalar>(scale)), b, 0, r);
  const double norm_b = impl::global_norm(exec, space, memory, r);
  const double target =
      target_residual(options.rtol, std::min(options.atol * scale, std::numeric_limits<double>::max()), norm_b);
  CgOptions inner;
  inner.rtol = options.inner_rtol;
  // Steps need not go further than to the target; half of it is left to what low is off.
  inner.atol = 0.5 * target;
  inner.stagnation_window = options.stagnation_window;
  inner.check_interval = options.check_interval;

  RefinementReport report;
  const std::int64_t vector_bytes = n * std::int64_t(sizeof(Scalar));
  const auto norm_of_residual = [&](const auto& of) {
    a.apply(exec, of, r);
    axpby(exec, Scalar(real_t<Scalar>(scale)), b, -1, r);
    const double norm = impl::global_norm(exec, space, memory, r);
    check_device_work(a);
    ++report.products;
    report.bytes_moved += a.traffic_bytes() + 4 * vector_bytes;
    report.residual_history.push_back(norm / norm_b);
    return norm;
  };

  double residual = norm_of_residual(x);
  const auto judge = [&] {
    if (!is_finite(residual)) return SolveStatus::non_finite;
    return residual <= target ? SolveStatus::converged : SolveStatus::running;
  };
  report.status = judge();
  while (report.status == SolveStatus::running) {
    if (report.iterations >= options.max_iterations) {
      report.status = SolveStatus::iteration_limit;
      break;
    }
    inner.max_iterations = options.max_iterations - report.iterations;
    if (options.monitor) {
      inner.monitor = options.monitor.seen_from(report.iterations, residual / norm_b);
    }
    Kokkos::deep_copy(exec, d, Scalar(0));
    const SolveReport solved = corrections.solve(r, d, inner);
    ++report.steps;
    report.iterations += solved.iterations;
    report.low_products += solved.products;
    report.bytes_moved += solved.bytes_moved + 6 * vector_bytes;

    // d becomes the next x, which x itself becomes only if it is a better one.
    axpby(exec, 1, x, 1, d);
    const double before = residual, after = norm_of_residual(d);
    if (is_finite(after) && after < before) {
      Kokkos::deep_copy(exec, x, d);
      residual = after;
    }
    report.status = judge();
    if (report.status == SolveStatus::running && solved.status == SolveStatus::interrupted)
      report.status = solved.status;
    if (report.status == SolveStatus::running && !(is_finite(after) && after <= 0.5 * before)) {
      report.status = solved.status != SolveStatus::converged ? solved.status
                      : is_finite(after)                      ? SolveStatus::accuracy_limit
                                                              : SolveStatus::non_finite;
      report.warning = solved.warning;
    }
  }
  if (!impl::is_representable(exec, space, x, scale)) report.status = SolveStatus::non_finite;
  impl::scale_vector(exec, x, 1 / scale);
  exec.fence("ashlar::refined_cg: x");
  report.relative_residual = residual / norm_b;
  return report;
}

}  // namespace ashlar
