#include <ashlar/amg/choice.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "matrix_bytes.hpp"
#include "solve/memory_need.hpp"
#include "solve/solver_parts.hpp"

namespace ashlar::app {

namespace {

/// Why the command does not choose amg, whatever the matrix; empty if it may.
template <class Exec>
std::string why_no_amg(const World& world, const LinearSystem<Exec>& system, const SolveOptions& options) {
  if (!world.is_alone()) return "amg is chosen on one rank alone";
  if (system.is_streamed()) return "the matrix is streamed";
  if (options.outputs.checkpoint || options.outputs.resume) return "checkpoints do not keep amg's options";
  if (options.source.matrix && options.source.skip_symmetry_check) return "the symmetry of the matrix was not checked";
  return "";
}

template <class Exec>
bool has_room_for_amg(const LinearSystem<Exec>& system, SolveOptions options) {
  options.method.preconditioner = PreconditionerKind::amg;
  const MatrixShape shape{std::uint64_t(system.num_block_rows()), std::uint64_t(system.num_blocks()),
                          std::uint64_t(system.block_size())};
  const std::uint64_t limit = options.placement.device_memory_limit.value_or(std::numeric_limits<std::uint64_t>::max());
  const std::uint64_t left = bytes_left<typename Exec::memory_space>();
  return solver_bytes(shape, options) <= left - left / 16 && device_bytes(shape, options) <= limit;
}

}  // namespace

template <class Exec>
PreconditionerChoice choose_preconditioner(const Exec& exec, const World& world, const LinearSystem<Exec>& system,
                                           const SolveOptions& options) {
  const MethodOptions& method = options.method;
  if (method.preconditioner != PreconditionerKind::automatic) return {method.preconditioner, ""};
  if (const std::string why = why_no_amg(world, system, options); !why.empty()) {
    return {PreconditionerKind::block_jacobi, why};
  }
  const bool is_elastic = system.cantilever && system.cantilever->dof != 1;
  const bool has_modes = method.near_null != NearNullKind::constants &&
                         (is_elastic || method.coordinates.has_value() || method.near_null_file.has_value());
  const amg::Choice choice =
      amg::choose(exec, system.matrix,
                  {.has_modes = has_modes,
                   .is_symmetric = needs_symmetry(method.solver) && !options.source.is_unsymmetric(),
                   .has_room = has_room_for_amg(system, options)});
  return {choice.is_amg ? PreconditionerKind::amg : PreconditionerKind::block_jacobi, choice.why};
}

template PreconditionerChoice choose_preconditioner(const HostExecution&, const World&,
                                                    const LinearSystem<HostExecution>&, const SolveOptions&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template PreconditionerChoice choose_preconditioner(const Execution&, const World&, const LinearSystem<Execution>&,
                                                    const SolveOptions&);
#endif

}  // namespace ashlar::app
