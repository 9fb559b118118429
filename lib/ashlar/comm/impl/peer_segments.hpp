#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/memory_kind.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::impl {

/// Memory that this rank has made, or that another one has made and this one reaches. The destructor gives it back.
class PeerSegment {
 public:
  virtual ~PeerSegment() = default;
  PeerSegment() = default;
  PeerSegment(const PeerSegment&) = delete;
  PeerSegment& operator=(const PeerSegment&) = delete;

  std::byte* data = nullptr;
};

struct PeerTicket;

/// A segment of each rank of one host, as this rank reaches it. Collective: constructor and destructor.
class PeerSegments {
 public:
  /// Of the device that is current, where `kind` is a device's.
  ///
  /// Throws   CommError on all ranks together.
  PeerSegments(Communicator comm, MemoryKind kind, std::size_t bytes);
  ~PeerSegments();
  PeerSegments(const PeerSegments&) = delete;
  PeerSegments& operator=(const PeerSegments&) = delete;

  const Communicator& comm() const { return comm_; }
  std::byte* at(int rank) const { return data_[static_cast<std::size_t>(rank)]; }
  const std::string& explain() const { return explain_; }

 private:
  void open_others(const std::vector<PeerTicket>& tickets, const PeerTicket& mine);

  Communicator comm_;
  std::unique_ptr<PeerSegment> own_;
  std::vector<std::unique_ptr<PeerSegment>> others_;
  std::vector<std::byte*> data_;
  std::string explain_;
};

}  // namespace ashlar::impl
