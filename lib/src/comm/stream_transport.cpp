#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <vector>

namespace ashlar {

StreamMessages find_stream_messages(const Communicator& comm, MemoryKind kind) {
  struct Account {
    bool has_transport;
    MemoryKind of_transport, of_rank;
  };
  const auto& transport = comm.stream_transport();
  const std::vector<Account> all =
      comm.all_gather(Account{transport != nullptr, transport ? transport->memory() : kind, kind});
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const Account& its = all[rank];
    // (Why it has none, a rank says to the others only where that matters: here.)
    if (!its.has_transport) {
      const std::string why = comm.broadcast(comm.why_no_stream_transport(), static_cast<int>(rank));
      return {false, text("rank ", rank, " has no transport for streams", why.empty() ? "" : ": ", why)};
    }
    if (its.of_transport != its.of_rank || its.of_rank != all[0].of_rank) {
      return {false, text("rank ", rank, " computes in ", to_string(its.of_rank),
                          " memory, and its transport for streams ", "takes ", to_string(its.of_transport),
                          " memory; rank 0 computes in ", to_string(all[0].of_rank), " memory")};
    }
  }
  return {true, transport->explain()};
}

}  // namespace ashlar
