#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/impl/peer_check.hpp>
#include <ashlar/comm/impl/peer_segments.hpp>
#include <ashlar/comm/memory_kind_of.hpp>
#include <ashlar/device/memory/shareable_memory.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace ashlar {

/// Memory of each rank that all the others read and write, in kernels of `Exec`: ranks of one host. On GPUs it is that
/// of their devices, shared as Communicator::use_peer_sharing() says; on the host it is shared between processes.
///
///     PeerMemory memory(exec, comm, 4096);
///     memory.of(1);   // where rank 1's 4096 bytes are for kernels of this rank
///
/// Move-only. Ranks may ask for amounts of their own. All bytes are zero at first.
///
/// Memory   allocated by the constructor, and freed by the destructor, which the ranks call in one order: it waits
///          until all of them have come, save while an exception is on its way.
/// Async    the constructor waits for `exec`, and tries with known data whether what one writes the others read. The
///          destructor does not wait for kernels.
/// Throws   on all ranks together: Error (CommError) where ranks are on several hosts, the memory cannot be shared, or
///          what was read is not what was written, in each of the ways that may be tried; ArgumentError where ranks ask
///          for different ways.
class PeerMemory {
 public:
  /// Collective. `comm` is kept.
  template <execution_space Exec>
  PeerMemory(const Exec& exec, Communicator comm, std::size_t bytes)
      : segments_(make_segments(exec, std::move(comm), bytes)) {}

  std::byte* own() const { return of(segments_->comm().rank()); }
  std::byte* of(int rank) const { return segments_->at(rank) + impl::peer_check_bytes(segments_->comm().size()); }
  const Communicator& comm() const { return segments_->comm(); }
  /// In which way, and why not in the one before, for people: "memory of the other devices, by handles"
  const std::string& explain() const { return segments_->explain(); }

 private:
  template <execution_space Exec>
  static std::unique_ptr<impl::PeerSegments> make_segments(const Exec& exec, Communicator comm, std::size_t bytes) {
    constexpr MemoryKind kind = memory_kind_of<typename Exec::memory_space>;
    make_current(exec);
    const std::size_t check = impl::peer_check_bytes(comm.size());
    return impl::make_peer_segments(std::move(comm), kind, check + bytes, [&](const impl::PeerSegments& segments) {
      impl::check_peer_memory(exec, segments);
    });
  }

  std::unique_ptr<impl::PeerSegments> segments_;
};

}  // namespace ashlar
