#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/peer/find_peer_memory.hpp>
#include <ashlar/device/impl/gpu_runtime.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "ticket.hpp"

namespace ashlar::impl {

namespace {

struct Peer {
  ProcessId process;
  MemoryKind kind = MemoryKind::host;
  std::array<char, 32> device{};  ///< by what the host knows it; none where it is not known
};

Peer own_peer([[maybe_unused]] MemoryKind kind) {
  Peer mine;
  mine.kind = kind;
#ifdef ASHLAR_HAS_GPU_RUNTIME
  if (kind != MemoryKind::host) {
    const std::string id = gpu::bus_id_of_current_device();
    std::copy_n(id.begin(), std::min(id.size(), mine.device.size() - 1), mine.device.begin());
  }
#endif
  return mine;
}

}  // namespace

PeersFound find_peers(const Communicator& comm, MemoryKind kind) {
  const int hosts = comm.transport().num_hosts();
  if (hosts > 1) return {false, text("the ranks are on ", hosts, " hosts")};
  const std::vector<Peer> all = comm.all_gather(comm.together([&] { return own_peer(kind); }));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].kind != all[0].kind) {
      return {false, text("rank ", rank, " computes in ", to_string(all[rank].kind), " memory, rank 0 in ",
                          to_string(all[0].kind), " memory")};
    }
    for (std::size_t other = 0; other < rank; ++other) {
      if (all[rank].process == all[other].process) {
        return {false, text("ranks ", other, " and ", rank, " are threads of one process")};
      }
      if (all[rank].kind != MemoryKind::host && all[rank].device == all[other].device) {
        return {false, text("ranks ", other, " and ", rank, " have one device")};
      }
    }
  }
  return {true, "the ranks are processes of one host"};
}

}  // namespace ashlar::impl
