#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cmath>

// Norms over all parts, on the host.

namespace ashlar::impl {

/// The first `count` sums over the local part become sums over all parts, and come to the host. Waits for `exec`.
template <int count, class Exec, class Space, class Memory>
std::array<double, count> sums_on_host(const Exec& exec, const Space& space, const Memory& memory) {
  sum_over_parts(exec, space, memory.sums_from(0, count));
  std::array<double, count> sums{};
  Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(sums.data(), count), memory.sums_from(0, count));
  exec.fence("ashlar::krylov: sums");
  check_device_work(space);
  return sums;
}

/// ||v||, over all parts. Waits for `exec`.
template <class Exec, class Space, class Memory, class V>
double global_norm(const Exec& exec, const Space& space, const Memory& memory, const V& v) {
  dot(exec, v, v, memory.team_sums.access(), memory.sums.data());
  return std::sqrt(sums_on_host<1>(exec, space, memory)[0]);
}

/// A right-hand side in the three norms by which a solve may be judged.
struct RightHandSideNorms {
  double unpreconditioned = 0, preconditioned = 0, natural = 0;

  double in(ResidualNorm norm) const {
    return norm == ResidualNorm::unpreconditioned ? unpreconditioned
           : norm == ResidualNorm::preconditioned ? preconditioned
                                                  : natural;
  }
};

}  // namespace ashlar::impl
