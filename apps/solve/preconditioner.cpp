#include <ashlar/amg/distributed.hpp>
#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/distributed/diagonal.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <ashlar/streaming/diagonal.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "solve/amg_modes.hpp"
#include "solve/solver_parts.hpp"

namespace ashlar::app {

namespace {

template <class Real, class Exec>
Preconditioner<Exec> make(const Exec& exec, const LinearSystem<Exec>& system, const MethodOptions& method,
                          std::string& hierarchy) {
  const auto with_explanation = [&](const auto& m) {
    hierarchy = m.explain();
    return Preconditioner<Exec>(m);
  };
  amg::Options options;
  options.smoother = method.amg_smoother;
  if (!system.matrix_over_ranks) {
    const Communicator alone;
    const auto modes = amg_modes(exec, system, method, alone, {0, system.num_block_rows()});
    return with_explanation(amg::Preconditioner<Matrix<Exec>, Real>(exec, system.matrix, modes, options));
  }
  using Distributed = DistributedMatrix<Matrix<Exec>>;
  const Distributed& a = *system.matrix_over_ranks;
  const RowPartition& partition = a.row_map();
  const auto modes =
      amg_modes(exec, system, method, a.communicator(), {partition.begin(a.rank()), partition.end(a.rank())});
  options.exchange = system.over_ranks->exchange_mode();
  return with_explanation(amg::Preconditioner<Distributed, Real>(exec, a, modes, options));
}

}  // namespace

template <class Exec>
Preconditioner<Exec> amg_preconditioner(const Exec& exec, const LinearSystem<Exec>& system, const MethodOptions& method,
                                        std::string& hierarchy) {
  if (method.preconditioner_precision == PrecisionKind::single) return make<float>(exec, system, method, hierarchy);
  return make<double>(exec, system, method, hierarchy);
}

template Preconditioner<HostExecution> amg_preconditioner(const HostExecution&, const LinearSystem<HostExecution>&,
                                                          const MethodOptions&, std::string&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template Preconditioner<Execution> amg_preconditioner(const Execution&, const LinearSystem<Execution>&,
                                                      const MethodOptions&, std::string&);
#endif

namespace {

/// Refuses a zero on the diagonal if Jacobi would divide by it, or if CG was asked for: such a matrix is not positive
/// definite, though its diagonal blocks may have inverses, with which CG may seem to converge.
template <class Exec>
void require_nonzero_diagonal(const Exec& exec, const Matrix<Exec>& matrix, const MethodOptions& method,
                              const LinearSystem<Exec>& system) {
  const bool is_jacobi = method.preconditioner == PreconditionerKind::jacobi;
  const bool is_cg = method.solver == SolverKind::cg || method.solver == SolverKind::block_cg;
  // --solver auto has MINRES for a matrix that is not positive definite.
  if (!is_jacobi && !(is_cg && method.why_solver.empty())) return;
  const auto index = diagonal_block_index(exec, matrix);
  const auto values = matrix.values();
  const int b = matrix.block_shape().rows;
  std::int64_t first_zero = 0;
  Kokkos::parallel_reduce(
      "ashlar::app::require_nonzero_diagonal",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, matrix.num_rows()),
      KOKKOS_LAMBDA(std::int64_t row, std::int64_t & first) {
        const std::int64_t block = index(row / b), place = (row % b) * (b + 1);
        if ((block < 0 || values(block * b * b + place) == 0) && row < first) first = row;
      },
      Kokkos::Min<std::int64_t>(first_zero));
  exec.fence("ashlar: the diagonal");
  if (first_zero >= matrix.num_rows()) return;
  const std::int64_t row = system.first_row() + first_zero + 1;
  throw Error(text(system.description, ": the diagonal entry (", row, ", ", row, ") is 0"),
              text(is_jacobi ? "Jacobi divides by it" : "an SPD matrix has none", "; rows are counted from 1"),
              is_cg ? "pass --solver minres --preconditioner none" : "pass --preconditioner none");
}

/// The preconditioner of a matrix, made of its diagonal blocks.
template <class Exec>
Preconditioner<Exec> preconditioner_of(const Exec& exec, const Matrix<Exec>& matrix, const MethodOptions& method,
                                       const LinearSystem<Exec>& system) {
  const PreconditionerKind kind = method.preconditioner;
  if (kind != PreconditionerKind::none) require_nonzero_diagonal(exec, matrix, method, system);
  switch (kind) {
    case PreconditionerKind::jacobi:
      return Preconditioner<Exec>(JacobiPreconditioner<Matrix<Exec>>(exec, matrix));
    case PreconditionerKind::block_jacobi:
      return Preconditioner<Exec>(BlockJacobiPreconditioner<Matrix<Exec>>(exec, matrix));
    case PreconditionerKind::ilu0:
    case PreconditionerKind::ssor:
      return sweep_preconditioner(exec, matrix, kind, needs_symmetry(method.solver));
    case PreconditionerKind::amg:        // amg_preconditioner()
    case PreconditionerKind::automatic:  // has been chosen by now
    case PreconditionerKind::none:
      break;
  }
  return Preconditioner<Exec>(IdentityPreconditioner());
}

/// The fault of a diagonal block, by its rows, from 1 as in a file; this rank's rows begin with first_row.
std::string bad_block(std::int64_t first_row, const NumericalError& error, int block_size, PreconditionerKind kind) {
  const std::int64_t first = first_row + error.row() * block_size + 1, last = first + block_size - 1;
  const std::string block = block_size == 1 ? text("the diagonal entry (", first, ", ", first, ") ")
                                            : text("the diagonal block of rows ", first, " to ", last, " ");
  if (dynamic_cast<const MissingDiagonalError*>(&error)) return block + "is missing";
  const char* const when = kind == PreconditionerKind::ilu0 ? " once the rows before it are eliminated" : "";
  if (dynamic_cast<const IndefiniteError*>(&error)) return block + "is not positive definite" + when;
  return block + (block_size == 1 ? "is 0 or has no inverse" : "has no inverse") + when;
}

}  // namespace

template <class Exec>
Preconditioner<Exec> make_preconditioner(const Exec& exec, const LinearSystem<Exec>& system,
                                         const SolveOptions& options, std::string& hierarchy,
                                         std::optional<SystemOperator<Exec>>& op) {
  const MethodOptions& method = options.method;
  const PreconditionerKind kind = method.preconditioner;
  const bool sweeps = kind == PreconditionerKind::ilu0 || kind == PreconditionerKind::ssor;
  const auto diagonal_on_device = [&] {
    const HostMatrix<Exec> diagonal = diagonal_blocks(HostExecution(), *system.streamed);
    const Matrix<Exec> there = copy_to<typename Exec::memory_space>(exec, diagonal);
    exec.fence("ashlar: diagonal blocks on the device");
    return there;
  };
  try {
    if (kind == PreconditionerKind::amg && system.streamed) {
      require_nonzero_diagonal(exec, diagonal_on_device(), method, system);
      return streamed_amg_preconditioner(exec, system, options, hierarchy, op);
    }
    if ((sweeps || kind == PreconditionerKind::amg) && system.is_streamed()) {
      throw streamed_matrix_error(system.description, "--preconditioner " + to_string(kind),
                                  "pass --preconditioner block-jacobi");
    }
    if (kind == PreconditionerKind::amg) {
      if (system.matrix_over_ranks) {
        const DistributedMatrix<Matrix<Exec>>& a = *system.matrix_over_ranks;
        a.communicator().together([&] { require_nonzero_diagonal(exec, a.local(), method, system); });
      } else {
        require_nonzero_diagonal(exec, system.matrix, method, system);
      }
      return amg_preconditioner(exec, system, method, hierarchy);
    }
    if (!system.is_streamed()) {
      return preconditioner_of(exec, system.over_ranks ? system.over_ranks->own_matrix() : system.matrix, method,
                               system);
    }
    if (kind == PreconditionerKind::none) return Preconditioner<Exec>(IdentityPreconditioner());
    if (system.over_ranks) return preconditioner_of(exec, diagonal_blocks(exec, *system.over_ranks), method, system);
    if (system.in_file) {
      return preconditioner_of(exec, diagonal_blocks(exec, *system.in_file), method, system);
    }
    return preconditioner_of(exec, diagonal_on_device(), method, system);
  } catch (const NumericalError& error) {
    if (error.row() < 0) {
      throw NumericalError(text(system.description, ": ", error.problem()), error.why(), error.suggestion());
    }
    const bool has_blocks = sweeps || kind == PreconditionerKind::block_jacobi || kind == PreconditionerKind::amg;
    const int size = has_blocks ? system.block_size() : 1;
    throw NumericalError(
        text(system.description, ": ", bad_block(system.first_row(), error, size, kind)),
        error.why() + "; rows are counted from 1",
        size > 1 ? "pass --preconditioner none, or another --block-size" : "pass --preconditioner none");
  }
}

template Preconditioner<HostExecution> make_preconditioner(const HostExecution&, const LinearSystem<HostExecution>&,
                                                           const SolveOptions&, std::string&,
                                                           std::optional<SystemOperator<HostExecution>>&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template Preconditioner<Execution> make_preconditioner(const Execution&, const LinearSystem<Execution>&,
                                                       const SolveOptions&, std::string&,
                                                       std::optional<SystemOperator<Execution>>&);
#endif

}  // namespace ashlar::app
