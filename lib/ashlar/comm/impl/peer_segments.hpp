#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/memory_kind.hpp>
#include <ashlar/comm/peer/peer_sharing.hpp>
#include <ashlar/host/file_descriptor.hpp>
#include <cstddef>
#include <functional>
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

  /// All that are to reach it do: nobody else need find it.
  virtual void hide() {}

  std::byte* data = nullptr;
};

struct PeerTicket;

/// A segment of each rank of one host, as this rank reaches it. Collective: constructor and destructor.
class PeerSegments {
 public:
  /// Of the device that is current, and shared in this way, where `kind` is a device's. `why`: that way, for people.
  ///
  /// Throws   Error on all ranks together, with nothing left open.
  PeerSegments(std::shared_ptr<const Communicator> comm, MemoryKind kind, std::size_t bytes, PeerSharing sharing,
               const std::string& why);
  ~PeerSegments();
  PeerSegments(const PeerSegments&) = delete;
  PeerSegments& operator=(const PeerSegments&) = delete;

  const Communicator& comm() const { return *comm_; }
  std::byte* at(int rank) const { return data_[static_cast<std::size_t>(rank)]; }
  const std::string& explain() const { return explain_; }

 private:
  void open_others(const std::vector<PeerTicket>& tickets, const PeerTicket& mine,
                   const std::vector<FileDescriptor>& descriptors);

  std::shared_ptr<const Communicator> comm_;
  std::unique_ptr<PeerSegment> own_;
  std::vector<std::unique_ptr<PeerSegment>> others_;
  std::vector<std::byte*> data_;
  std::string explain_;
};

/// Segments that are shared in the first way that works, of those that comm.peer_sharing() allows, and that have passed
/// the check, which throws on all ranks together.
///
/// Collective.
/// Throws   on all ranks together, where no way works; ArgumentError where ranks ask for different ones.
std::unique_ptr<PeerSegments> make_peer_segments(Communicator comm, MemoryKind kind, std::size_t bytes,
                                                 const std::function<void(const PeerSegments&)>& check);

}  // namespace ashlar::impl
