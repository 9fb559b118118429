#include <algorithm>
#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/peer/find_peer_memory.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "ticket.hpp"

namespace ashlar::impl {

namespace {

struct Peer {
  ProcessId process = {};
  MemoryKind kind = MemoryKind::host;
  std::array<char, 32> device{};  ///< by what the host knows it; none where it is not known
};

}  // namespace

PeersFound find_peers(const Communicator& comm, MemoryKind kind, const std::string& device) {
  const int hosts = comm.transport().num_hosts();
  if (hosts > 1) return {false, text("the ranks are on ", hosts, " hosts")};
  Peer mine{.kind = kind};
  std::copy_n(device.begin(), std::min(device.size(), mine.device.size() - 1), mine.device.begin());
  const std::vector<Peer> all = comm.all_gather(mine);
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
