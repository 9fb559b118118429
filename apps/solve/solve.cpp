#include "solve/solve.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/bcsr_operator.hpp>
#include <ashlar/krylov/block_jacobi_preconditioner.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/identity_preconditioner.hpp>
#include <ashlar/krylov/jacobi_preconditioner.hpp>
#include <ashlar/spmv/tune.hpp>
#include <cmath>
#include <optional>
#include <variant>

#include "solve/files.hpp"

namespace ashlar::app {

namespace {

/// The preconditioner that an option named: one type for the solver, so that it is compiled once.
class AnyPreconditioner {
 public:
  AnyPreconditioner(const Execution& exec, const Matrix& matrix, PreconditionerKind kind) {
    if (kind == PreconditionerKind::jacobi) chosen_.emplace<JacobiPreconditioner<Matrix>>(exec, matrix);
    if (kind == PreconditionerKind::block_jacobi) chosen_.emplace<BlockJacobiPreconditioner<Matrix>>(exec, matrix);
  }

  void apply(const Execution& exec, const Vector& r, const Vector& z) const {
    std::visit([&](const auto& chosen) { chosen.apply(exec, r, z); }, chosen_);
  }
  std::int64_t traffic_bytes() const {
    return std::visit([](const auto& chosen) { return std::int64_t(chosen.traffic_bytes()); }, chosen_);
  }

 private:
  std::variant<IdentityPreconditioner, JacobiPreconditioner<Matrix>, BlockJacobiPreconditioner<Matrix>> chosen_;
};

/// The diagonal block that has no inverse, by its rows, from 1 as in a file.
std::string bad_block(std::int64_t block_row, int block_size) {
  const std::int64_t first = block_row * block_size + 1, last = first + block_size - 1;
  if (block_size == 1) return text("the diagonal entry (", first, ", ", first, ") is 0 or has no inverse");
  return text("the diagonal block of rows ", first, " to ", last, " has no inverse");
}

AnyPreconditioner make_preconditioner(const Execution& exec, const LinearSystem& system, const SolveOptions& options) {
  try {
    return AnyPreconditioner(exec, system.matrix, options.preconditioner);
  } catch (const NumericalError& error) {
    const int size = options.preconditioner == PreconditionerKind::block_jacobi ? system.matrix.block_size() : 1;
    throw NumericalError(
        text(system.description, ": ", error.row() < 0 ? error.problem() : bad_block(error.row(), size)),
        error.why() + "; rows are counted from 1",
        size > 1 ? "pass --preconditioner none, or another --block-size" : "pass --preconditioner none");
  }
}

}  // namespace

Solution solve(const Execution& exec, const LinearSystem& system, const SolveOptions& options, Phases& phases,
               const std::function<void(int, double)>& monitor) {
  Solution solution;
  std::optional<BcsrOperator<Matrix>> a;
  std::optional<AnyPreconditioner> m;
  phases.run("setup", [&] {
    if (options.tune) {
      solution.tuning = load_tuning(options);
      a.emplace(system.matrix, tuned_plan(exec, system.matrix, *solution.tuning));
    } else {
      a.emplace(exec, system.matrix, SpmvOptions{.kernel = options.kernel});
    }
    m.emplace(make_preconditioner(exec, system, options));
    solution.x = Vector("ashlar::app::x", system.matrix.num_rows());
    exec.fence("ashlar: set-up");
  });
  solution.kernel = to_string(a->plan().kernel());
  solution.plan = a->plan().explain();
  phases.run("solve", [&] {
    CgOptions cg_options;
    cg_options.rtol = options.rtol;
    cg_options.max_iterations = options.max_iterations;
    cg_options.monitor = monitor;
    solution.report = cg(exec, *a, *m, system.rhs, solution.x, cg_options);
  });
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
