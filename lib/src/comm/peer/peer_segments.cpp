#include <algorithm>
#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/impl/peer_segments.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/transport.hpp>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "segment.hpp"

namespace ashlar::impl {

namespace {

void require_one_host(const Communicator& comm) {
  const int hosts = comm.transport().num_hosts();
  if (hosts == 1) return;
  throw CommError(text("comm: memory shared by ", comm.size(), " ranks"), text("they are on ", hosts, " hosts"),
                  "let messages go through the transport");
}

/// The data by which other ranks open a segment.
struct Key {
  PeerTicket ticket;
  FileDescriptor descriptor;
};

std::unique_ptr<PeerSegment> make_segment(MemoryKind kind, std::size_t bytes, PeerSharing sharing, Key& key) {
  if (kind == MemoryKind::host) return make_host_segment(bytes, key.ticket);
  if (sharing == PeerSharing::handles) return make_device_segment(bytes, key.ticket);
  return make_described_segment(bytes, key.ticket, key.descriptor);
}

}  // namespace

PeerSegments::PeerSegments(std::shared_ptr<const Communicator> comm, MemoryKind kind, std::size_t bytes,
                           PeerSharing sharing, const std::string& why)
    : comm_(std::move(comm)) {
  require_one_host(*comm_);
  Key mine;
  own_ = comm_->together([&] { return make_segment(kind, bytes, sharing, mine); });
  const std::vector<PeerTicket> tickets = comm_->all_gather(mine.ticket);
  std::vector<FileDescriptor> descriptors;
  if (sharing == PeerSharing::descriptors) descriptors = pass_descriptors(*comm_, mine.descriptor.get());
  try {
    open_others(tickets, mine.ticket, descriptors);
  } catch (const std::exception&) {
    others_.clear();
    comm_->barrier();  // all ranks get here: no rank frees memory that another one has open
    throw;
  }
  own_->hide();
  explain_ = kind == MemoryKind::host ? "memory shared between processes"
                                      : text("memory of the other devices, by ",
                                             sharing == PeerSharing::handles ? "handles" : "file descriptors", why);
}

void PeerSegments::open_others(const std::vector<PeerTicket>& tickets, const PeerTicket& mine,
                               const std::vector<FileDescriptor>& descriptors) {
  comm_->together([&] {
    for (std::size_t rank = 0; rank < tickets.size(); ++rank) {
      const PeerTicket& its = tickets[rank];
      if (its.is_host != mine.is_host) {
        throw CommError(text("comm: memory shared by ranks ", comm_->rank(), " and ", rank),
                        "one computes on a device, the other on the host", "let messages go through the transport");
      }
      // A process cannot open a handle of its own memory.
      if (its.process == mine.process) {
        data_.push_back(its.data);
        continue;
      }
      others_.push_back(its.is_host           ? open_host_segment(its)
                        : descriptors.empty() ? open_device_segment(its)
                                              : open_described_segment(its, descriptors[rank]));
      data_.push_back(others_.back()->data);
    }
  });
}

PeerSegments::~PeerSegments() {
  if (std::uncaught_exceptions() > 0) return;
  others_.clear();
  try {
    comm_->barrier();  // no rank frees memory that another one has open
  } catch (const std::exception&) {
    // The other ranks have left: nobody uses the memory.
  }
}

namespace {

/// The methods to try, in this order: the same on all ranks.
std::vector<PeerSharing> methods_of(const Communicator& comm, MemoryKind kind) {
  struct Wish {
    PeerSharing sharing;
    MemoryKind kind;
  };
  const Wish mine{comm.peer_sharing(), kind};
  const std::vector<Wish> all = comm.all_gather(mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].sharing == all[0].sharing) continue;
    throw ArgumentError(text("comm: memory shared by ", to_string(all[rank].sharing), " on rank ", rank, ", by ",
                             to_string(all[0].sharing), " on rank 0"),
                        "all ranks share it by one method", "ask for the same on all of them");
  }
  // If a rank has no device memory, PeerSegments refuses, whatever the method.
  const bool has_devices = std::none_of(all.begin(), all.end(), [](auto& its) { return its.kind == MemoryKind::host; });
  if (!has_devices) return {PeerSharing::handles};
  if (mine.sharing == PeerSharing::automatic) return {PeerSharing::handles, PeerSharing::descriptors};
  return {mine.sharing};
}

std::string reason_of(const std::exception& failure) {
  const auto* const error = dynamic_cast<const Error*>(&failure);
  return error != nullptr ? text(error->problem(), ": ", error->why()) : failure.what();
}

}  // namespace

std::unique_ptr<PeerSegments> make_peer_segments(Communicator comm, MemoryKind kind, std::size_t bytes,
                                                 const std::function<void(const PeerSegments&)>& check) {
  const auto shared = std::make_shared<const Communicator>(std::move(comm));
  const std::vector<PeerSharing> methods = methods_of(*shared, kind);
  std::string why = shared->peer_sharing() == PeerSharing::automatic ? "" : " (as asked for)";
  std::string failures;
  for (const PeerSharing method : methods) {
    std::unique_ptr<PeerSegments> segments;
    // A failure reaches all ranks together, so that all try the next method.
    try {
      segments = std::make_unique<PeerSegments>(shared, kind, bytes, method, why);
      check(*segments);
      return segments;
    } catch (const std::exception& failure) {
      if (methods.size() == 1) {
        segments.reset();
        throw;
      }
      why = text(" (", to_string(method), " do not work: ", reason_of(failure), ")");
      failures += text(failures.empty() ? "" : "; ", "by ", to_string(method), ": ", reason_of(failure));
    }
  }
  throw CommError(text("comm: memory of devices shared by ", shared->size(), " ranks"), failures,
                  "let messages go through the transport");
}

namespace {

struct Peer {
  ProcessId process = {};
  MemoryKind kind = MemoryKind::host;
  std::array<char, 32> device{};  ///< its name on the host; empty if unknown
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
