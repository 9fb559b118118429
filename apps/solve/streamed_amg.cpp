#include <Kokkos_Core.hpp>
#include <ashlar/amg/streamed_preconditioner.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/comm/communicator.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "solve/amg_modes.hpp"
#include "solve/solver_parts.hpp"
#include "solve/streamed_operator.hpp"

namespace ashlar::app {

namespace {

/// `sent` is the matrix in the host's memory, or its half.
template <class Op, class Exec>
Preconditioner<Exec> make_streamed_amg(const Exec& exec, const LinearSystem<Exec>& system, const HostMatrix<Exec>& sent,
                                       const SolveOptions& options, std::string& hierarchy,
                                       std::optional<SystemOperator<Exec>>& op) {
  const Communicator alone;
  const auto modes = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), amg_modes(exec, system, options.method, alone, {0, system.num_block_rows()}));
  amg::Options amg_options;
  amg_options.smoother = options.method.amg_smoother;
  const auto make_product = [&](std::uint64_t taken) {
    const StreamedProduct<Op> product = streamed_from_memory<Op>(exec, system, sent, options, taken);
    op.emplace(operator_of<Exec>(product));
    return product.op;
  };
  const amg::StreamedPreconditioner<Matrix<Exec>, Op> m(exec, *system.streamed, modes, amg_options, make_product);
  hierarchy = m.explain();
  return Preconditioner<Exec>(m);
}

}  // namespace

template <class Exec>
Preconditioner<Exec> streamed_amg_preconditioner(const Exec& exec, const LinearSystem<Exec>& system,
                                                 const SolveOptions& options, std::string& hierarchy,
                                                 std::optional<SystemOperator<Exec>>& op) {
  if (options.method.preconditioner_precision == PrecisionKind::single) {
    throw Error(system.description + ": --preconditioner-precision single with a streamed matrix",
                "levels have the precision of the matrix that is sent", "pass --preconditioner-precision double");
  }
  if (options.placement.transfer == TransferKind::half) {
    return make_streamed_amg<StreamedHalf<Exec>>(exec, system, half_of<Exec>(*system.streamed), options, hierarchy, op);
  }
  return make_streamed_amg<Streamed<Exec>>(exec, system, *system.streamed, options, hierarchy, op);
}

template Preconditioner<HostExecution> streamed_amg_preconditioner(const HostExecution&,
                                                                   const LinearSystem<HostExecution>&,
                                                                   const SolveOptions&, std::string&,
                                                                   std::optional<SystemOperator<HostExecution>>&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template Preconditioner<Execution> streamed_amg_preconditioner(const Execution&, const LinearSystem<Execution>&,
                                                               const SolveOptions&, std::string&,
                                                               std::optional<SystemOperator<Execution>>&);
#endif

}  // namespace ashlar::app
