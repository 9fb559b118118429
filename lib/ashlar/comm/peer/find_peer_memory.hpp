#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/memory_kind.hpp>
#include <ashlar/comm/memory_kind_of.hpp>
#include <ashlar/device/shareable_memory.hpp>
#include <string>

namespace ashlar {

/// Whether ranks may share memory and wait for each other in kernels: what find_peer_memory() answers.
struct PeersFound {
  bool work = false;
  /// Why not; where they may, in short.
  std::string why = {};
};

namespace impl {

/// Of memory of this kind, on the device that is current. Collective.
PeersFound find_peers(const Communicator& comm, MemoryKind kind);

}  // namespace impl

/// Whether PeerMemory is worth a try: all ranks are processes of one host, with memory of one kind, and on GPUs each
/// with a device of its own, as kernels that wait for each other on one device may wait for ever. Whether it can be
/// shared, PeerMemory tries. Collective; the same answer on all ranks.
template <execution_space Exec>
PeersFound find_peer_memory(const Exec& exec, const Communicator& comm) {
  make_current(exec);
  return impl::find_peers(comm, memory_kind_of<typename Exec::memory_space>);
}

}  // namespace ashlar
