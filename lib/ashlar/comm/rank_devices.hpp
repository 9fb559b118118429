#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/device/bus_id.hpp>
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

/// Of a memory space of Kokkos.
template <memory_space Space>
inline constexpr MemoryKind memory_kind_of = impl::find_memory_kind<Space>();

/// Two ranks with one device of `Exec`, the lower first; none where each has one of its own, and where Exec is the
/// host's. Collective; the same answer on all ranks.
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

/// Whether ranks may share memory and wait for each other in kernels: what find_peer_memory() answers.
struct PeersFound {
  bool work = false;
  /// Why not; where they may, in short.
  std::string why = {};
};

namespace impl {

/// Of memory of this kind, of the device that the host knows by this name. Collective.
PeersFound find_peers(const Communicator& comm, MemoryKind kind, const std::string& device);

}  // namespace impl

/// Whether PeerMemory is worth a try: all ranks are processes of one host, with memory of one kind, and on GPUs each
/// with a device of its own, as kernels that wait for each other on one device may wait for ever. Whether it can be
/// shared, PeerMemory tries. Collective; the same answer on all ranks.
template <execution_space Exec>
PeersFound find_peer_memory(const Exec& exec, const Communicator& comm) {
  const std::string device = comm.together([&] { return bus_id(exec); });
  return impl::find_peers(comm, memory_kind_of<typename Exec::memory_space>, device);
}

}  // namespace ashlar
