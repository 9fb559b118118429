#pragma once

#include <Kokkos_Timer.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <cg_ranks/system.hpp>
#include <utility>

namespace ashlar::perf {

/// A solve from x = 0, which all ranks begin together, and its seconds on this one.
template <class Exec, class Op>
std::pair<SolveReport, double> solve(const Exec& exec, const Communicator& comm, const Op& op, const VectorOn<Exec>& b,
                                     const VectorOn<Exec>& x, const CgOptions& options) {
  Kokkos::deep_copy(exec, x, 0.0);
  exec.fence("perf: before a solve");
  comm.barrier();
  const Kokkos::Timer timer;
  SolveReport report = cg(exec, op, IdentityPreconditioner(), b, x, options);
  exec.fence("perf: after a solve");
  return {std::move(report), timer.seconds()};
}

}  // namespace ashlar::perf
