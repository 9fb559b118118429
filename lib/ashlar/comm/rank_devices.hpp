#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/device/probes/device_properties.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {

namespace impl {

template <memory_space Space>
constexpr MemoryKind find_memory_kind() {
#if defined(KOKKOS_ENABLE_CUDA)
  if (std::is_same_v<Space, Kokkos::CudaSpace> || std::is_same_v<Space, Kokkos::CudaUVMSpace>) return MemoryKind::cuda;
#endif
#if defined(KOKKOS_ENABLE_HIP)
  if (std::is_same_v<Space, Kokkos::HIPSpace> || std::is_same_v<Space, Kokkos::HIPManagedSpace>) return MemoryKind::hip;
#endif
  return Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::accessible ? MemoryKind::host : MemoryKind::other;
}

}  // namespace impl

/// The kind of a memory space of Kokkos.
template <memory_space Space>
inline constexpr MemoryKind memory_kind_of = impl::find_memory_kind<Space>();

/// Two ranks that share a device of `Exec`, the lower first; none if each rank has its own, or if Exec is a host space.
/// Collective; the same answer on all ranks.
template <execution_space Exec>
std::optional<std::pair<int, int>> ranks_of_one_device(const Exec& exec, const Communicator& comm) {
  if (!is_gpu_v<Exec> || comm.is_alone()) return std::nullopt;
  const std::string mine = comm.together([&] { return text(comm.transport().host_name(), " ", bus_id(exec)); });
  const std::vector<std::string> all = comm.all_gather(mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for (std::size_t other = 0; other < rank; ++other) {
      if (all[rank] == all[other]) return std::pair(static_cast<int>(other), static_cast<int>(rank));
    }
  }
  return std::nullopt;
}

/// The answer of find_peer_memory(): whether ranks may share memory and wait for each other in kernels.
struct PeersFound {
  bool work = false;
  /// The reason, in either case.
  std::string why = {};
};

namespace impl {

/// find_peer_memory() for memory of this kind, on the device with this name on the host. Collective.
PeersFound find_peers(const Communicator& comm, MemoryKind kind, const std::string& device);

}  // namespace impl

/// Tells whether to try PeerMemory: all ranks are processes of one host, with memory of one kind, and each GPU has one
/// rank, since kernels that wait for each other on one device may deadlock. PeerMemory finds out whether the memory can
/// be shared. Collective; the same answer on all ranks.
template <execution_space Exec>
PeersFound find_peer_memory(const Exec& exec, const Communicator& comm) {
  const std::string device = comm.together([&] { return bus_id(exec); });
  return impl::find_peers(comm, memory_kind_of<typename Exec::memory_space>, device);
}

}  // namespace ashlar
