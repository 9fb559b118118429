#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/transport.hpp>
#include <cstdint>
#include <functional>
#include <memory>

namespace ashlar::impl {

/// Sizes of trial messages. Libraries send some eagerly, some after a handshake, and some in pieces.
inline constexpr std::array<std::int64_t, 5> trial_bytes = {8, 4096, 65536, 1048576, 8388608};
/// Bytes before and after a message that must stay unchanged.
inline constexpr std::int64_t trial_margin = 64;

/// Byte i of a buffer with a message of `bytes` in its middle. Each seed gives other bytes; the margins have seed 0.
KOKKOS_INLINE_FUNCTION unsigned char trial_byte(std::uint32_t seed, std::int64_t bytes, std::int64_t i) {
  const std::int64_t place = i - trial_margin;
  const std::uint32_t its_seed = place >= 0 && place < bytes ? seed : 0U;
  std::uint32_t mixed = static_cast<std::uint32_t>(place) * 2654435761U + its_seed * 2246822519U + 374761393U;
  mixed = (mixed ^ (mixed >> 15U)) * 3266489917U;
  return static_cast<unsigned char>(mixed >> 24U);
}

template <class Bytes>
struct FillTrial {
  Bytes to;
  std::uint32_t seed;
  std::int64_t bytes;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { to(i) = trial_byte(seed, bytes, i); }
};

template <class Bytes>
struct CompareTrial {
  Bytes from;
  std::uint32_t seed;
  std::int64_t bytes;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    if (from(i) != trial_byte(seed, bytes, i)) ++wrong;
  }
};

/// A buffer for trial messages, in memory of some execution space. All calls return when done.
class TrialMemory {
 public:
  virtual ~TrialMemory() = default;
  TrialMemory() = default;
  TrialMemory(const TrialMemory&) = delete;
  TrialMemory& operator=(const TrialMemory&) = delete;

  /// The begin of the message.
  virtual unsigned char* data() const = 0;
  /// Fills the message and its margins with trial_byte().
  virtual void fill(std::uint32_t seed, std::int64_t bytes) = 0;
  /// The number of bytes that differ from fill().
  virtual std::int64_t num_wrong(std::uint32_t seed, std::int64_t bytes) const = 0;
};

template <execution_space Exec>
class TrialMemoryOf final : public TrialMemory {
 public:
  explicit TrialMemoryOf(const Exec& exec)
      : exec_(exec),
        bytes_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::comm::trial"),
               trial_bytes.back() + 2 * trial_margin),
        wrong_(Kokkos::view_alloc(exec, "ashlar::comm::wrong")) {}

  unsigned char* data() const override { return bytes_.data() + trial_margin; }

  void fill(std::uint32_t seed, std::int64_t bytes) override {
    Kokkos::parallel_for("ashlar::comm[fill]", policy(bytes), FillTrial<Bytes>{bytes_, seed, bytes});
    exec_.fence("ashlar::comm: filled");
  }

  std::int64_t num_wrong(std::uint32_t seed, std::int64_t bytes) const override {
    Kokkos::parallel_reduce("ashlar::comm[compare]", policy(bytes), CompareTrial<Bytes>{bytes_, seed, bytes}, wrong_);
    std::int64_t wrong = 0;
    Kokkos::deep_copy(exec_, Kokkos::View<std::int64_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&wrong), wrong_);
    exec_.fence("ashlar::comm: compared");
    return wrong;
  }

 private:
  using Bytes = Kokkos::View<unsigned char*, typename Exec::memory_space>;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Policy policy(std::int64_t bytes) const { return Policy(exec_, 0, bytes + 2 * trial_margin); }

  Exec exec_;
  Bytes bytes_;
  Kokkos::View<std::int64_t, typename Exec::memory_space> wrong_;
};

/// find_direct_messages() for a kind of memory.
DirectMessages find_direct_messages(const Communicator& comm, MemoryKind kind,
                                    const std::function<std::unique_ptr<TrialMemory>()>& allocate);

}  // namespace ashlar::impl

namespace ashlar {

/// Finds out whether messages of this group may go from and to the memory of `exec`, on all of its ranks. Host memory
/// always works. Other memory is tried if the transport claims it on every rank; an unclaimed transport may crash, and
/// is not tried.
///
/// Some libraries claim it and deliver wrong data. So known data are sent from memory to memory: to the next rank, and
/// to the next rank on the same host, twice each with the same buffers, in each class of sizes for which libraries have
/// another protocol. All bytes are checked, also those beside the message.
///
/// Collective. All ranks get the same answer, whatever kinds of memory they have. The group remembers it, as do groups
/// split from it: the next call tries nothing. Communicator::explain() has the answer.
///
/// Memory   two buffers of 8 MiB, freed on return.
/// Async    waits for `exec`.
/// Throws   on all ranks together, if memory runs out. An exception of the transport in a trial is an answer.
template <execution_space Exec>
DirectMessages find_direct_messages(const Exec& exec, const Communicator& comm) {
  return impl::find_direct_messages(comm, memory_kind_of<typename Exec::memory_space>,
                                    [&] { return std::make_unique<impl::TrialMemoryOf<Exec>>(exec); });
}

}  // namespace ashlar
