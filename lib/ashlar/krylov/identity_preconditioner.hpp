#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <cstdint>

namespace ashlar {

/// No preconditioner: z := r. Solvers do not apply it, and let z be r.
///
/// Shapes   r and z are vectors, or multi-vectors, of one shape.
/// Memory   both reachable from `exec`; they may be one.
/// Async    enqueued on `exec`; no fence, no allocation.
struct IdentityPreconditioner {
  template <execution_space Exec, class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    if (z.data() != r.data()) Kokkos::deep_copy(exec, z, r);
  }
  bool is_identity() const { return true; }
  bool is_stream_ordered() const { return true; }
  bool is_capturable() const { return true; }
  std::int64_t traffic_bytes() const { return 0; }
};

}  // namespace ashlar
