#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <vector>

namespace ashlar::impl {

/// A list where kernels of `Exec` read it. Allocates, and waits for `exec`.
template <class Item, execution_space Exec>
Kokkos::View<Item*, typename Exec::memory_space> listed(const Exec& exec, const std::vector<Item>& items) {
  const Kokkos::View<Item*, typename Exec::memory_space> there(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::halo::peers"), items.size());
  using Here = Kokkos::View<const Item*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  if (!items.empty()) Kokkos::deep_copy(exec, there, Here(items.data(), items.size()));
  exec.fence("ashlar::halo: lists of peers");
  return there;
}

}  // namespace ashlar::impl
