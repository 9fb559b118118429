#include "solve/solver_choice.hpp"

#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <cstdint>
#include <memory>

#include "memory_left.hpp"
#include "solve/checks.hpp"
#include "solve/operator.hpp"
#include "solve/symmetric_products.hpp"

namespace ashlar::app {

namespace {

template <class Exec>
SymmetryOfSystem symmetry_of(const Exec& exec, const LinearSystem<Exec>& system, const std::string& file) {
  if (system.in_file) {
    return symmetry_by_products(exec, Operator<Exec>(std::shared_ptr<const Streamed<Exec>>(system.in_file)), system);
  }
  if (system.over_ranks) return symmetry_by_products(exec, Operator<Exec>(system.over_ranks), system);
  SymmetryOfSystem found;
  system.visit(exec, [&](const auto& where, const auto& matrix) { found.fault = symmetry_fault(where, matrix, file); });
  return found;
}

/// True if all ranks have room for the vectors of GMRES twice. Ranks on hosts are taken to share their memory.
template <class Exec>
bool has_room_for_gmres(const World& world, const LinearSystem<Exec>& system, const SolveOptions& options) {
  const std::uint64_t sharers = is_gpu_v<Exec> ? 1 : std::uint64_t(world.comm().size());
  const std::uint64_t needed =
      gmres_bytes(system.rhs.extent(0), sizeof(double), true, options.method.restart_or_default());
  const bool has_room = 2 * sharers * needed <= bytes_left<typename Exec::memory_space>();
  return world.comm().max(has_room ? 0 : 1) == 0;
}

}  // namespace

template <class Exec>
SolverChoice choose_solver(const Exec& exec, const World& world, const LinearSystem<Exec>& system,
                           const SolveOptions& options) {
  const SolverKind asked = options.method.solver;
  const SourceOptions& source = options.source;
  const bool is_automatic = asked == SolverKind::automatic;
  SymmetryOfSystem symmetry;
  if (source.matrix && source.skip_symmetry_check) {
    symmetry.is_known = false;
  } else if (source.matrix && (is_automatic || needs_symmetry(asked))) {
    symmetry = symmetry_of(exec, system, *source.matrix);
  }
  if (!is_automatic) {
    world.alike([&] {
      if (symmetry.fault) throw *symmetry.fault;
    });
    return {asked, ""};
  }
  if (symmetry.is_known && !symmetry.fault) {
    return {SolverKind::cg, source.matrix ? "the matrix is symmetric" : "the problem is symmetric"};
  }
  const std::string why = symmetry.is_known ? "the matrix is not symmetric" : "the matrix may not be symmetric";
  if (options.placement.device_memory_limit) {
    return {SolverKind::bicgstab, why + ", and --device-memory-limit leaves no room for the vectors of GMRES"};
  }
  if (has_room_for_gmres(world, system, options)) return {SolverKind::gmres, why};
  return {SolverKind::bicgstab, why + ", and there is too little memory for the vectors of GMRES"};
}

template SolverChoice choose_solver(const HostExecution&, const World&, const LinearSystem<HostExecution>&,
                                    const SolveOptions&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template SolverChoice choose_solver(const Execution&, const World&, const LinearSystem<Execution>&,
                                    const SolveOptions&);
#endif

}  // namespace ashlar::app
