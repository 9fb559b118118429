#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/impl/peer_segments.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/device/memory/shareable_memory.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ashlar {

/// Memory of each rank that all other ranks of one host read and write, in kernels of `Exec`. On GPUs it is device
/// memory, shared as Communicator::use_peer_sharing() says; on hosts it is shared between processes.
///
///     PeerMemory memory(exec, comm, 4096);
///     memory.of(1);   // the 4096 bytes of rank 1, as kernels of this rank reach them
///
/// Move-only. Ranks may ask for different sizes. All bytes are zero at first.
///
/// Memory   allocated by the constructor, and freed by the destructor. All ranks call destructors in the same order; a
///          destructor waits for all ranks, unless an exception is in flight.
/// Async    the constructor waits for `exec`, and checks with known data that ranks read each other's writes. The
///          destructor does not wait for kernels.
/// Throws   on all ranks together: Error (CommError) if ranks are on several hosts, or the memory cannot be shared or
///          fails the check with each allowed method; ArgumentError if ranks ask for different methods.
class PeerMemory {
 public:
  /// Collective. `comm` is kept.
  template <execution_space Exec>
  PeerMemory(const Exec& exec, Communicator comm, std::size_t bytes)
      : segments_(make_segments(exec, std::move(comm), bytes)) {}

  std::byte* own() const { return of(segments_->comm().rank()); }
  std::byte* of(int rank) const { return segments_->at(rank) + impl::peer_check_bytes(segments_->comm().size()); }
  const Communicator& comm() const { return segments_->comm(); }
  /// The method of sharing, and why the one before does not work: "memory of the other devices, by handles"
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

/// A channel between kernels of the ranks of one host: peer memory, a time limit for their waits, and a flag by which a
/// kernel that gave up tells the host.
///
///     PeerChannel<Exec> channel(30);
///     channel.allocate(exec, comm.duplicate(), 4096);
///     channel.memory().of(1);                             // for kernels of this rank
///     wait_until(is_ready, channel.limit());              // in a kernel
///     channel.check("halo", "data of another rank");      // on the host
///
/// Memory   allocate() allocates the peer memory and the flag, which the host may read at any time. The destructor
///          behaves as PeerMemory's.
template <execution_space Exec>
class PeerChannel {
 public:
  explicit PeerChannel(double time_out_seconds) : limit_ns_(time_limit_ns(time_out_seconds)) {}

  /// Collective. Replaces the peer memory by zeroed memory of this size, after kernels of the caller have finished. The
  /// flag stays. Waits for `exec`.
  ///
  /// Throws   as PeerMemory, on all ranks together.
  void allocate(const Exec& exec, Communicator comm, std::size_t bytes) {
    comm.together([&] {
      if (gave_up_.data() != nullptr) return;
      gave_up_ = Flag(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::peer_channel::gave_up"));
      *gave_up_.data() = 0;  // by the host: Kokkos would use another instance
    });
    memory_.reset();
    memory_ = std::make_unique<PeerMemory>(exec, std::move(comm), bytes);
  }

  const PeerMemory& memory() const { return *memory_; }
  /// For kernels.
  TimeLimit limit() const { return {limit_ns_, gave_up_.data()}; }
  /// The value that kernels have stored in limit().gave_up; 0 if none gave up.
  int failure() const { return *static_cast<volatile const int*>(gave_up_.data()); }

  /// Throws   CommError if a kernel gave up: "`module`: rank 1 has waited 30 s in a kernel for `data`"
  void check(std::string_view module, std::string_view data) const {
    if (failure() == 0) return;
    throw CommError(text(module, ": rank ", memory_->comm().rank(), " has waited ", 1e-9 * double(limit_ns_),
                         " s in a kernel for ", data),
                    "that rank has ended or hangs", "look for its message");
  }

 private:
  using Space = std::conditional_t<is_gpu_v<Exec>, Kokkos::SharedHostPinnedSpace, typename Exec::memory_space>;
  using Flag = Kokkos::View<int, Space>;

  std::uint64_t limit_ns_;
  std::unique_ptr<PeerMemory> memory_;
  Flag gave_up_;
};

}  // namespace ashlar
