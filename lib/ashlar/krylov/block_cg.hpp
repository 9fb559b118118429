#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/block_cg_state.hpp>
#include <ashlar/krylov/impl/on_all_parts.hpp>
#include <ashlar/krylov/impl/progress_checks.hpp>
#include <ashlar/krylov/impl/require_system.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar {

struct BlockCgOptions {
  double rtol = 1e-8;  ///< column i has converged when ||b_i - A x_i|| <= max(rtol * ||b_i||, atol)
  double atol = 0;
  int max_iterations = 10000;
  /// Steps without a new smallest ||r_i|| / ||b_i|| of the worst column at work that count as stagnation; 0: the larger
  /// of 2000 and the number of unknowns of all parts.
  int stagnation_window = 0;
  /// Called after each block step with their number and the largest ||r_i|| / ||b_i|| of the columns at work; may stop
  /// the solve.
  Monitor monitor = {};
};

/// Bytes that block_cg() allocates where vectors are, for s right-hand sides of n entries, beside a header of some
/// hundred for each of a few allocations.
inline std::uint64_t block_cg_bytes(std::int64_t n, int s, std::size_t scalar_bytes, bool preconditioned) {
  const auto columns = static_cast<std::uint64_t>(s);
  const std::uint64_t blocks = preconditioned ? 4 : 3;
  const std::uint64_t sums = std::uint64_t(multi_dot_ranges(n)) + (preconditioned ? 2 : 1);
  return blocks * std::uint64_t(n) * columns * scalar_bytes + sums * columns * columns * sizeof(double);
}

/// Solves A X = B for several right-hand sides together by the block conjugate gradient method: each step multiplies A
/// by several directions together, in whose span all solutions improve.
///
/// The residuals are kept as an orthonormal basis (in the preconditioner's inner product) times small coefficients, so
/// that right-hand sides that depend on each other, or come to, do no harm: directions that are lost to rounding are
/// dropped. The x of columns that have converged stays as it is; their directions go on to serve the others.
///
/// Shapes   A is square; b and x are num_local() x s, of the space of A, with s up to 64. x holds the first guesses.
/// Types    of real numbers; the small matrices are of doubles.
/// Memory   b and x reachable from `exec`, and apart; allocates block_cg_bytes() at the start, beside a few small
///          matrices of pinned memory on the host, and nothing on the device in the iterations.
/// Async    returns when the solve has ended. All work is enqueued on `exec`; the host, which does the algebra of
///          s x s, waits for it twice in each step, with a preconditioner and without: for S^T A S, and for the inner
///          products of the new residuals. Where one of those is weak, it waits for them once more. Each wait is behind
///          one sum over the parts of the space.
/// Result   for each column its status, its step of convergence, its history, and the true residual computed from the
///          final x. Columns whose true residual does not bear out the recurrence's start again from x, as long as that
///          gains something.
///          NaN or infinity in one column ends the solve of all.
/// Throws   ShapeError, ArgumentError before any work, on all parts of the system, as cg() does.
/// Source   O'Leary 1980; Dubrulle 2001, algorithm BCGrQ, with the inner product of the preconditioner and with a basis
///          that may lose vectors.
template <execution_space Exec, class Op, class M, class B, class X>
BlockSolveReport block_cg(const Exec& exec, const Op& a, const M& m, const B& b, const X& x,
                          const BlockCgOptions& options = {}) {
  static_assert(multi_vector_view<B> && multi_vector_view<X>,
                "ashlar::block_cg: b and x must be Kokkos::Views of rank 2, a column for each right-hand side");
  static_assert(impl::OperatorAndScalars<Op, B, X>::value);
  using Vectors = impl::BlockCgVectors<X>;
  using Columns = impl::BlockCgColumns<X>;
  static_assert(!std::is_const_v<typename X::value_type>, "ashlar::block_cg: x must be writable");
  static_assert(linear_operator<Op, Exec, X, Vectors> && linear_operator<Op, Exec, Columns>,
                "ashlar::block_cg: A must be a linear operator on x, and on the first columns of a multi-vector");
  static_assert(preconditioner<M, Exec, Columns>,
                "ashlar::block_cg: M must be a preconditioner of the first columns of a multi-vector");
  static_assert(reachable_from<Exec, B> && reachable_from<Exec, X>,
                "ashlar::block_cg: b and x must be reachable from the execution space");
  static_assert(!is_complex_v<typename X::non_const_value_type>, "ashlar::block_cg: vectors must be real");
  const auto space = a.space();
  const std::int64_t n = space.num_local();
  impl::check_on_all_parts(space, "block_cg", [&] {
    require_square("block_cg", a);
    if (std::int64_t(b.extent(0)) != n || std::int64_t(x.extent(0)) != n || b.extent(1) != x.extent(1)) {
      throw ShapeError(
          text("block_cg: b is ", b.extent(0), " x ", b.extent(1), " and x is ", x.extent(0), " x ", x.extent(1)),
          text("the matrix has ", n, " rows"), "pass a column of x for each of b, as long as the matrix");
    }
    if (b.extent(1) < 1 || b.extent(1) > impl::most_vectors_of_multi) {
      throw ArgumentError(text("block_cg: ", b.extent(1), " right-hand sides"),
                          text("it takes 1 to ", impl::most_vectors_of_multi), "solve for fewer at a time");
    }
    impl::refuse_overlap("block_cg", b, x);
    check_stopping("block_cg", options.rtol, options.atol, options.max_iterations, options.stagnation_window);
  });
  impl::require_same_on_all_parts(space, "block_cg",
                                  {{"columns", double(b.extent(1))},
                                   {"rtol", options.rtol},
                                   {"atol", options.atol},
                                   {"max_iterations", double(options.max_iterations)},
                                   {"stagnation_window", double(options.stagnation_window)},
                                   {"a monitor that may stop", double(options.monitor.may_stop())}});
  const Kokkos::Profiling::ScopedRegion region("ashlar::block_cg");
  impl::BlockCgState<Exec, Op, M, B, X> state(exec, a, m, b, x, options.rtol, options.atol, options.stagnation_window);
  impl::StopRequests requests(options.monitor, false, 1);
  state.start();
  while (state.is_running()) {
    if (state.report().iterations >= options.max_iterations) {
      state.stop(SolveStatus::iteration_limit);
      break;
    }
    state.step();
    if (state.is_running() && requests.ask(space, state.report().iterations, state.largest_residual()) ==
                                  impl::StopRequests::Wish::stop) {
      state.stop(SolveStatus::interrupted);
    }
    if (state.needs_check()) state.check(options.max_iterations);
  }
  return state.finish();
}

}  // namespace ashlar
