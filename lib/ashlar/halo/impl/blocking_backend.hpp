#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/direct_messages.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The choice between staged and direct messages, and its reason.
struct HaloStaging {
  bool is_staged = false;
  std::string why = {};
};

/// The choice of a rank whose halo is in memory of `kind`, after find_direct_messages().
///
/// Throws   ArgumentError on all ranks if device memory was asked for and messages from there do not work.
HaloStaging choose_staging(const Communicator& comm, HaloBuffers wanted, const DirectMessages& direct, MemoryKind kind);

/// The same, with find_direct_messages(). Collective; all ranks want the same buffers.
template <execution_space Exec>
HaloStaging find_staging(const Exec& exec, const Communicator& comm, HaloBuffers wanted) {
  if (wanted == HaloBuffers::staged) return {true, "as asked for"};
  return choose_staging(comm, wanted, find_direct_messages(exec, comm), memory_kind_of<typename Exec::memory_space>);
}

/// The messages of an exchange through the transport: for each slot one to and one from each neighbour, made once.
///
/// They have a communicator of their own, and each slot has its own tag. So a message is never matched with another
/// exchange, however far ahead a neighbour is.
class NeighbourMessages {
 public:
  /// `comm` serves these messages alone.
  NeighbourMessages(Communicator comm, std::vector<NeighbourMessage> to, std::vector<NeighbourMessage> from);

  /// Makes the messages of the next slot, from and to these buffers.
  void add_slot(const void* send, void* receive);

  void start_receives(int slot);
  void start_sends(int slot);
  /// Returns when the send buffer may be written again.
  void wait_for_sends(int slot);
  void wait_for_receives(int slot);
  /// Waits for a message that was not returned since start_receives(). Returns its place in `from`; -1 after the last.
  int wait_for_any(int slot);

  /// Returns when all messages are sent. Ignores errors of the transport: this is for destructors.
  void wait_for_all_sends() noexcept;

  /// Time for which the host has waited for messages.
  double waited_seconds() const { return waited_seconds_; }
  /// Messages counted when they start, and when they arrive.
  const HaloCount& sent() const { return sent_; }
  const HaloCount& received() const { return received_; }

 private:
  struct Slot {
    std::vector<std::unique_ptr<Message>> sends, receives;
    std::vector<char> is_taken;
  };
  /// Adds the duration of wait() to the time waited.
  template <class Wait>
  void timed(const Wait& wait);

  Communicator comm_;
  std::vector<NeighbourMessage> to_, from_;
  double waited_seconds_ = 0;
  HaloCount sent_, received_;
  std::vector<Slot> slots_;
};

/// The blocking mode: the host waits for the packing kernel, starts messages of the transport, and waits for them.
/// Messages go from and to the memory of `exec`, or are staged: they go through pinned host memory, with copies to and
/// from the device.
template <execution_space Exec>
class BlockingBackend final : public ExchangeBackend<Exec> {
 public:
  /// Allocates, and waits for `exec`. The first `packed_bytes` of the `send_bytes` of an exchange are packed at the
  /// address that open() returns.
  BlockingBackend(const Exec& exec, Communicator comm, const std::vector<NeighbourMessage>& to,
                  const std::vector<NeighbourMessage>& from, std::int64_t send_bytes, std::int64_t receive_bytes,
                  std::int64_t packed_bytes, HaloStaging staging)
      : messages_(std::move(comm), to, from), staging_(std::move(staging)), from_(from), reached_(exec) {
    const auto uninitialized = [&](const std::string& label) {
      return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::halo::" + label);
    };
    if (staging_.is_staged) {
      packed_ = Buffer(uninitialized("packed"), std::size_t(packed_bytes));
      received_ = Buffer(uninitialized("received"), std::size_t(receive_bytes));
    }
    slots_.reserve(num_exchange_slots);
    for (int i = 0; i < num_exchange_slots; ++i) {
      Slot& slot = slots_.emplace_back(exec);
      if (staging_.is_staged) {
        slot.staged_send = Staging(uninitialized("staged_send"), std::size_t(send_bytes));
        slot.staged_receive = Staging(uninitialized("staged_receive"), std::size_t(receive_bytes));
        messages_.add_slot(slot.staged_send.data(), slot.staged_receive.data());
      } else {
        slot.send = Buffer(uninitialized("send"), std::size_t(send_bytes));
        slot.receive = Buffer(uninitialized("receive"), std::size_t(receive_bytes));
        messages_.add_slot(slot.send.data(), slot.receive.data());
      }
    }
    wait_until_reached(exec);
  }

  std::byte* open(const Exec&, int number) override {
    Slot& slot = at(number);
    messages_.wait_for_sends(number);
    slot.is_free.wait();
    messages_.start_receives(number);
    return staging_.is_staged ? packed_.data() : slot.send.data();
  }
  std::byte* outgoing(int number) override {
    return staging_.is_staged ? at(number).staged_send.data() : at(number).send.data();
  }
  void start(const Exec& exec, int number) override {
    if (staging_.is_staged) copy(exec, at(number).staged_send, 0, packed_);
    wait_until_reached(exec);
    messages_.start_sends(number);
  }

  void begin_arrival(const Exec& exec, int previous) override {
    if (!staging_.is_staged) at(previous).is_free.record(exec);
  }
  int wait_for_any(const Exec& exec, int number) override {
    const int k = messages_.wait_for_any(number);
    if (k >= 0) copy_to_device(exec, number, from_[std::size_t(k)].begin, from_[std::size_t(k)].count);
    return k;
  }
  void wait_for_all(const Exec& exec, int number) override {
    messages_.wait_for_receives(number);
    copy_to_device(exec, number, 0, std::int64_t(at(number).staged_receive.size()));
  }
  void finish_arrival(const Exec& exec, int number) override {
    if (staging_.is_staged) at(number).is_free.record(exec);  // the copy reads it
  }
  const std::byte* received(int number) const override {
    return staging_.is_staged ? received_.data() : slots_[std::size_t(number)].receive.data();
  }

  void wait_for_sends() noexcept override { messages_.wait_for_all_sends(); }
  void wait_for_device() noexcept override {
    for (const Slot& slot : slots_) slot.is_free.wait();
  }

  bool is_stream_ordered() const override { return false; }
  bool is_staged() const override { return staging_.is_staged; }
  const HaloCount& sent() const override { return messages_.sent(); }
  const HaloCount& received_messages() const override { return messages_.received(); }
  double waited_seconds() const override { return messages_.waited_seconds(); }
  std::string explain() const override {
    return text(staging_.is_staged ? "staged through pinned memory" : "from and to the memory that the halo is in",
                " (", staging_.why, ")");
  }
  HeldBytes bytes() const override {
    std::uint64_t of_slots = 0;
    for (const Slot& slot : slots_) {
      of_slots += slot.staged_send.size() + slot.staged_receive.size() + slot.send.size() + slot.receive.size();
    }
    const std::uint64_t once = packed_.size() + received_.size();
    const bool are_pinned = is_gpu_v<Exec> && staging_.is_staged;
    return {once + (are_pinned ? 0 : of_slots), are_pinned ? of_slots : 0};
  }

 private:
  using memory_space = typename Exec::memory_space;
  using Buffer = Kokkos::View<std::byte*, memory_space>;
  using Staging =
      Kokkos::View<std::byte*, std::conditional_t<is_gpu_v<Exec>, Kokkos::SharedHostPinnedSpace, memory_space>>;

  struct Slot {
    explicit Slot(const Exec& exec) : is_free(exec) {}

    Staging staged_send, staged_receive;  // of staged messages
    Buffer send, receive;                 // of direct messages
    Event<Exec> is_free;                  // the data received before are read
  };

  Slot& at(int number) { return slots_[std::size_t(number)]; }

  /// Copies received bytes to the device, if messages are staged.
  void copy_to_device(const Exec& exec, int number, std::int64_t begin, std::int64_t count) {
    if (!staging_.is_staged) return;
    copy(exec, received_, begin, Kokkos::subview(at(number).staged_receive, std::pair(begin, begin + count)));
  }

  /// to[begin, ...) := from. Enqueued.
  template <class To, class From>
  static void copy(const Exec& exec, const To& to, std::int64_t begin, const From& from) {
    if (from.size() == 0) return;
    Kokkos::deep_copy(exec, Kokkos::subview(to, std::pair(begin, begin + std::int64_t(from.size()))), from);
  }

  /// Waits for the work enqueued on `exec` so far.
  void wait_until_reached(const Exec& exec) {
    reached_.record(exec);
    reached_.wait();
  }

  std::vector<Slot> slots_;
  NeighbourMessages messages_;  // after the buffers, so that it is destroyed first
  HaloStaging staging_;
  std::vector<NeighbourMessage> from_;
  Buffer packed_, received_;  // of staged messages
  Event<Exec> reached_;
};

}  // namespace ashlar::impl
