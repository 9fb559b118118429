#include "solve/solver_choice.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <memory>

#include "memory_left.hpp"
#include "solve/checks.hpp"
#include "solve/operator.hpp"
#include "solve/symmetric_products.hpp"

namespace ashlar::app {

namespace {

template <class Exec>
void check_symmetry(const Exec& exec, const LinearSystem<Exec>& system, const std::string& file) {
  if (system.in_file)
    return require_symmetric_products(exec, Operator<Exec>(std::shared_ptr<const Streamed<Exec>>(system.in_file)),
                                      system);
  if (system.over_ranks) return require_symmetric_products(exec, Operator<Exec>(system.over_ranks), system);
  system.visit(exec, [&](const auto& where, const auto& matrix) { require_symmetric(where, matrix, file); });
}

/// True if all ranks have room for the vectors of GMRES twice. Plans for --device-memory-limit do not count them.
template <class Exec>
bool has_room_for_gmres(const World& world, const LinearSystem<Exec>& system, const SolveOptions& options) {
  const std::int64_t rows = system.rhs.extent(0);
  const std::uint64_t needed = gmres_bytes(rows, sizeof(double), true, options.method.restart_or_default());
  const bool has_room =
      !options.placement.device_memory_limit && 2 * needed <= bytes_left<typename Exec::memory_space>();
  return world.comm().max(has_room ? 0 : 1) == 0;
}

}  // namespace

template <class Exec>
SolverChoice choose_solver(const Exec& exec, const World& world, const LinearSystem<Exec>& system,
                           const SolveOptions& options) {
  const SolverKind asked = options.method.solver;
  const SourceOptions& source = options.source;
  const bool is_automatic = asked == SolverKind::automatic;
  std::string why = "the problem is symmetric";
  bool is_symmetric = true;
  if (source.matrix && source.skip_symmetry_check) {
    is_symmetric = false;
    why = "whether the matrix is symmetric was not checked";
  } else if (source.matrix && (is_automatic || needs_symmetry(asked))) {
    why = "the matrix is symmetric";
    try {
      world.alike([&] { check_symmetry(exec, system, *source.matrix); });
    } catch (const NumericalError&) {
      if (!is_automatic) throw;
      is_symmetric = false;
    } catch (const RankError&) {
      if (!is_automatic) throw;
      is_symmetric = false;
    }
    if (!is_symmetric) why = "the matrix is not symmetric";
  }
  if (!is_automatic) return {asked, ""};
  if (is_symmetric) return {SolverKind::cg, why};
  if (has_room_for_gmres(world, system, options)) return {SolverKind::gmres, why};
  return {SolverKind::bicgstab, why + ", and there is too little memory for GMRES"};
}

template SolverChoice choose_solver(const HostExecution&, const World&, const LinearSystem<HostExecution>&,
                                    const SolveOptions&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template SolverChoice choose_solver(const Execution&, const World&, const LinearSystem<Execution>&,
                                    const SolveOptions&);
#endif

}  // namespace ashlar::app
