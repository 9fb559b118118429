#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/for_entries.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <ashlar/krylov/impl/cg_memory.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The kernel of change_scalars(), which has one thread.
template <class Change>
struct ScalarsChange {
  CgScalars* scalars;
  const double* sums;
  double* history;
  Change change;

  KOKKOS_FUNCTION void operator()(std::int64_t) const { change(*scalars, sums, history); }
};

/// Enqueues change(scalars, sums, history) for the scalars of CG on the device, its sums, and the ring of norms.
template <execution_space Exec, class Change>
void change_scalars(const char* label, const Exec& exec, const CgMemory<Exec>& memory, const Change& change) {
  for_entries(label, exec, 1,
              ScalarsChange<Change>{memory.scalars.data(), memory.sums.data(), memory.history.data(), change});
}

}  // namespace ashlar::impl
