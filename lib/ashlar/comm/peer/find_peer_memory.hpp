#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/memory_kind.hpp>
#include <ashlar/comm/memory_kind_of.hpp>
#include <ashlar/device/probes/device_properties.hpp>
#include <string>

namespace ashlar {

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
