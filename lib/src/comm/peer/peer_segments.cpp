#include <ashlar/comm/impl/peer_segments.hpp>

#include <ashlar/base/text.hpp>
#include <ashlar/comm/error.hpp>
#include <exception>
#include <utility>

#include "device_segment.hpp"
#include "host_segment.hpp"

namespace ashlar::impl {

namespace {

void require_one_host(const Communicator& comm) {
  const int hosts = comm.transport().num_hosts();
  if (hosts == 1) return;
  throw CommError(text("comm: memory shared by ", comm.size(), " ranks"), text("they are on ", hosts, " hosts"),
                  "let messages go through the transport");
}

}  // namespace

PeerSegments::PeerSegments(Communicator comm, MemoryKind kind, std::size_t bytes) : comm_(std::move(comm)) {
  require_one_host(comm_);
  PeerTicket mine;
  own_ = comm_.together(
      [&] { return kind == MemoryKind::host ? make_host_segment(bytes, mine) : make_device_segment(bytes, mine); });
  const std::vector<PeerTicket> tickets = comm_.all_gather(mine);
  try {
    open_others(tickets, mine);
  } catch (const std::exception&) {
    others_.clear();
    comm_.barrier();  // all ranks are here: nobody frees what another one has open
    throw;
  }
  explain_ = kind == MemoryKind::host ? "memory shared between processes" : "memory of the other devices";
}

void PeerSegments::open_others(const std::vector<PeerTicket>& tickets, const PeerTicket& mine) {
  comm_.together([&] {
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const PeerTicket& its = tickets[static_cast<std::size_t>(rank)];
      if (its.is_host != mine.is_host) {
        throw CommError(text("comm: memory shared by ranks ", comm_.rank(), " and ", rank),
                        "one computes on a device, the other on the host", "let messages go through the transport");
      }
      // (A process opens no handle of its own memory.)
      if (its.process == mine.process) {
        data_.push_back(its.data);
        continue;
      }
      others_.push_back(its.is_host ? open_host_segment(its) : open_device_segment(its));
      data_.push_back(others_.back()->data);
    }
  });
}

PeerSegments::~PeerSegments() {
  if (std::uncaught_exceptions() > 0) return;
  others_.clear();
  try {
    comm_.barrier();  // nobody frees what another one has open
  } catch (const std::exception&) {
    // The others have left: nothing is held for them.
  }
}

}  // namespace ashlar::impl
