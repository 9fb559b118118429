#include "solve/solve.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/symmetric_half.hpp>
#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/identity_preconditioner.hpp>
#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <ashlar/spmv/tune.hpp>
#include <ashlar/streaming/diagonal.hpp>
#include <ashlar/streaming/planner.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

#include "solve/files.hpp"
#include "solve/memory_need.hpp"
#include "solve/pseudo_random.hpp"
#include "solve/streaming_options.hpp"

namespace ashlar::app {

namespace {

/// The preconditioner of a matrix, of which the diagonal blocks are looked at.
Preconditioner preconditioner_of(const Execution& exec, const Matrix& matrix, PreconditionerKind kind) {
  switch (kind) {
    case PreconditionerKind::jacobi:
      return Preconditioner(JacobiPreconditioner<Matrix>(exec, matrix));
    case PreconditionerKind::block_jacobi:
      return Preconditioner(BlockJacobiPreconditioner<Matrix>(exec, matrix));
    case PreconditionerKind::none:
      break;
  }
  return Preconditioner(IdentityPreconditioner());
}

/// The diagonal block that has no inverse, by its rows, from 1 as in a file.
std::string bad_block(std::int64_t block_row, int block_size) {
  const std::int64_t first = block_row * block_size + 1, last = first + block_size - 1;
  if (block_size == 1) return text("the diagonal entry (", first, ", ", first, ") is 0 or has no inverse");
  return text("the diagonal block of rows ", first, " to ", last, " has no inverse");
}

Preconditioner make_preconditioner(const Execution& exec, const LinearSystem& system, const SolveOptions& options) {
  try {
    if (!system.is_streamed()) return preconditioner_of(exec, system.matrix, options.preconditioner);
    if (options.preconditioner == PreconditionerKind::none) return Preconditioner(IdentityPreconditioner());
    // Preconditioners look at the diagonal alone, which does go to the device.
    if (system.in_file) {
      return preconditioner_of(exec, diagonal_blocks(exec, *system.in_file), options.preconditioner);
    }
    const HostMatrix diagonal = diagonal_blocks(HostExecution(), *system.streamed);
    return preconditioner_of(exec, copy_to<Space>(exec, diagonal), options.preconditioner);
  } catch (const NumericalError& error) {
    const int size = options.preconditioner == PreconditionerKind::block_jacobi ? system.block_size() : 1;
    throw NumericalError(
        text(system.description, ": ", error.row() < 0 ? error.problem() : bad_block(error.row(), size)),
        error.why() + "; rows are counted from 1",
        size > 1 ? "pass --preconditioner none, or another --block-size" : "pass --preconditioner none");
  }
}

/// Measures the machine and plans by that: all of a matrix that is streamed, or its half.
template <class Streamed>
StreamingPlan plan_for(const Execution& exec, const HostMatrix& matrix, const StreamingOptions& options) {
  const Block x("ashlar::app::x", matrix.num_rows(), options.product.num_vectors),
      y("ashlar::app::y", x.extent(0), x.extent(1));
  return plan_streaming<Streamed>(exec, matrix, x, y, options);
}

/// The system's matrix, or its half, streamed from the host's memory within what the solve leaves of the device's: on a
/// device as planned for it, which goes to `solution`.
template <class Streamed>
Streamed streamed_from_memory(const Execution& exec, const LinearSystem& system, const HostMatrix& matrix,
                              const SolveOptions& options, Solution& solution) {
  const MatrixShape shape{std::uint64_t(system.num_block_rows()), std::uint64_t(system.num_blocks()),
                          std::uint64_t(system.block_size())};
  const std::uint64_t limit = system.device_limit;
  return within_limit(limit, bytes_beside_streaming(shape, options), system.description, [&] {
    StreamingOptions streaming = streaming_options(shape, options, limit);
    if (has_device_memory) {
      const StreamingPlan plan = plan_for<Streamed>(exec, matrix, streaming);
      solution.streaming = plan.explain();
      streaming = plan.options;
    }
    return Streamed(exec, matrix, streaming);
  });
}

/// Made beside the whole.
HostMatrix half_of(const HostMatrix& matrix) {
  const HostExecution host;
  const HostMatrix half = symmetric_half(host, matrix);
  host.fence("ashlar: half of the matrix");
  return half;
}

/// The usual right-hand side in the first column, A times pseudo-random vectors in the others.
Block right_hand_sides(const Execution& exec, const Operator& a, const Vector& first, const Block& x) {
  const Block b("ashlar::app::b", x.extent(0), x.extent(1));
  fill_pseudo_random(exec, x, 0);
  a.apply(exec, x, b);
  Kokkos::deep_copy(exec, Kokkos::subview(b, Kokkos::ALL, 0), first);
  Kokkos::deep_copy(exec, x, 0.0);
  return b;
}

/// What of a block solve is told as of any solve.
SolveReport summary_of(const BlockSolveReport& block, std::int64_t bytes_of_step) {
  SolveReport report;
  report.status = block.status;
  report.iterations = block.iterations;
  report.residual_history.assign(block.iterations + 1, 0);
  for (const ColumnReport& column : block.columns) {
    report.relative_residual = std::max(report.relative_residual, column.relative_residual);
    if (std::isnan(column.relative_residual)) report.relative_residual = column.relative_residual;
    for (std::size_t k = 0; k < report.residual_history.size() && !column.residual_history.empty(); ++k) {
      const double residual = column.residual_history[std::min(k, column.residual_history.size() - 1)];
      // The larger; NaN is larger than anything.
      if (!(residual <= report.residual_history[k]) && !std::isnan(report.residual_history[k])) {
        report.residual_history[k] = residual;
      }
    }
  }
  report.bytes_moved = bytes_of_step * (block.iterations + 2);
  return report;
}

template <class Op>
Operator operator_of(const std::shared_ptr<Op>& op) {
  return Operator(std::shared_ptr<const Op>(op));
}

SolveReport solve_by_variant(const Execution& exec, const Operator& a, const Preconditioner& m, const Vector& b,
                             const Vector& x, VariantKind variant, const CgOptions& options) {
  switch (variant) {
    case VariantKind::single_reduction:
      return single_reduction_cg(exec, a, m, b, x, options);
    case VariantKind::pipelined:
      return pipelined_cg(exec, a, m, b, x, options);
    case VariantKind::standard:
      break;
  }
  return cg(exec, a, m, b, x, options);
}

void solve_by(const Execution& exec, const Operator& a, const Preconditioner& m, const LinearSystem& system,
              const SolveOptions& options, Phases& phases, const std::function<void(int, double)>& monitor,
              Solution& solution) {
  if (options.solver == SolverKind::cg) {
    solution.x = Vector("ashlar::app::x", system.num_rows());
    phases.run("solve", [&] {
      CgOptions cg_options;
      cg_options.rtol = options.rtol;
      cg_options.max_iterations = options.max_iterations;
      cg_options.monitor = monitor;
      solution.report = solve_by_variant(exec, a, m, system.rhs, solution.x, options.variant, cg_options);
    });
    return;
  }
  const Block x("ashlar::app::x", system.num_rows(), options.num_rhs);
  const Block b = right_hand_sides(exec, a, system.rhs, x);
  phases.run("solve", [&] {
    BlockCgOptions cg_options;
    cg_options.rtol = options.rtol;
    cg_options.max_iterations = options.max_iterations;
    cg_options.monitor = monitor;
    solution.block = block_cg(exec, a, m, b, x, cg_options);
  });
  // A product's two blocks, and about 14 of the inner products and combinations.
  const std::int64_t vectors = 16 * std::int64_t(x.size()) * std::int64_t(sizeof(double));
  solution.report = summary_of(*solution.block, a.traffic_bytes() + vectors);
  solution.x = Vector("ashlar::app::x", system.num_rows());
  Kokkos::deep_copy(exec, solution.x, Kokkos::subview(x, Kokkos::ALL, 0));
  solution.all = x;
  exec.fence("ashlar: solution of the first right-hand side");
}

}  // namespace

Solution solve(const Execution& exec, const LinearSystem& system, const SolveOptions& options, Phases& phases,
               const std::function<void(int, double)>& monitor, SolveTrace* trace) {
  Solution solution;
  std::shared_ptr<BcsrOperator<Matrix>> resident;
  std::shared_ptr<Streamed> streamed = system.in_file;
  std::shared_ptr<StreamedHalf> half;
  std::optional<Preconditioner> m;
  phases.run("setup", [&] {
    m.emplace(make_preconditioner(exec, system, options));
    if (system.in_file) {
      // It has been set up when the file was looked through.
    } else if (system.streamed && options.transfer == TransferKind::half) {
      half = std::make_shared<StreamedHalf>(
          streamed_from_memory<StreamedHalf>(exec, system, half_of(*system.streamed), options, solution));
    } else if (system.streamed) {
      streamed =
          std::make_shared<Streamed>(streamed_from_memory<Streamed>(exec, system, *system.streamed, options, solution));
    } else if (options.tune) {
      solution.tuning = load_tuning(options);
      resident =
          std::make_shared<BcsrOperator<Matrix>>(system.matrix, tuned_plan(exec, system.matrix, *solution.tuning));
    } else {
      resident = std::make_shared<BcsrOperator<Matrix>>(
          exec, system.matrix, SpmvOptions{.kernel = options.kernel, .num_vectors = options.num_rhs});
    }
    exec.fence("ashlar: set-up");
  });
  const auto solve_streamed = [&](const auto& a) {
    solution.kernel = to_string(a->kernel());
    solution.plan = a->explain();
    std::optional<StreamRecording<Execution>> recording;
    if (trace != nullptr) recording.emplace(a->record(trace->timeline(exec)));
    solve_by(exec, operator_of(a), *m, system, options, phases, monitor, solution);
  };
  if (half) {
    solve_streamed(half);
  } else if (streamed) {
    solve_streamed(streamed);
  } else {
    solution.kernel = to_string(resident->plan().kernel());
    solution.plan = resident->explain();
    solve_by(exec, operator_of(resident), *m, system, options, phases, monitor, solution);
  }
  return solution;
}

SolutionError error_against_ones(const Execution& exec, const Vector& x) {
  double largest = 0, squares = 0;
  Kokkos::parallel_reduce(
      "ashlar::app::error", Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::int64_t>>(exec, 0, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, double& update_largest, double& update_squares) {
        const double difference = Kokkos::abs(x(i) - 1);
        // A comparison with NaN is false: it would be lost without a word.
        if (!(difference <= update_largest)) update_largest = difference;
        update_squares += difference * difference;
      },
      Kokkos::Max<double>(largest), squares);
  exec.fence("ashlar: error");
  if (!std::isfinite(squares)) largest = squares;
  return {largest, std::sqrt(squares / static_cast<double>(x.extent(0)))};
}

}  // namespace ashlar::app
