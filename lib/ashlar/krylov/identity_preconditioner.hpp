#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <cstdint>

namespace ashlar {

/// No preconditioner: z := r, for which nothing is done where z is r.
///
/// Async    enqueued on `exec`; no fence, no allocation.
struct IdentityPreconditioner {
  template <execution_space Exec, class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    if (z.data() != r.data()) Kokkos::deep_copy(exec, z, r);
  }
  /// None: the solvers let z be r.
  std::int64_t traffic_bytes() const { return 0; }
};

}  // namespace ashlar
