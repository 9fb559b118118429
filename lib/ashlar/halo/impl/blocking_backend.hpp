#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/direct_messages.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/device/event.hpp>
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

/// Whether the messages of an exchange go through pinned memory of the host, and why.
struct HaloStaging {
  bool is_staged = false;
  std::string why = {};
};

/// What a rank whose halo is in memory of this kind does, after find_direct_messages().
///
/// Throws   ArgumentError on all ranks where the device's memory was asked for, and does not work.
HaloStaging choose_staging(const Communicator& comm, HaloBuffers wanted, const DirectMessages& direct, MemoryKind kind);

/// The same, which asks. Collective; the same is wanted on all ranks.
template <execution_space Exec>
HaloStaging find_staging(const Exec& exec, const Communicator& comm, HaloBuffers wanted) {
  if (wanted == HaloBuffers::staged) return {true, "as asked for"};
  return choose_staging(comm, wanted, find_direct_messages(exec, comm), memory_kind_of<typename Exec::memory_space>);
}

/// NeighbourExchange::explain(): `way` says how messages go.
std::string explain(const HaloFigures& figures, const std::string& way);

/// The messages of an exchange through the transport: for each of its slots one to, and one from, each neighbour, made
/// once.
///
/// They have a group of ranks of their own, and each slot a tag of its own: no message of one exchange is ever taken
/// for one of another, however far ahead a neighbour is.
class NeighbourMessages {
 public:
  /// `comm` is a group of its own.
  NeighbourMessages(Communicator comm, std::vector<NeighbourMessage> to, std::vector<NeighbourMessage> from);

  /// The messages of the next slot, from and to these buffers.
  void add_slot(const void* send, void* receive);

  void start_receives(int slot);
  void start_sends(int slot);
  /// Until the buffer may be written again.
  void wait_for_sends(int slot);
  void wait_for_receives(int slot);
  /// A neighbour, by place in `from`, whose message has come and was not returned since start_receives(); waits for
  /// one. -1 where all have been.
  int wait_for_any(int slot);

  /// Until all that was sent has gone. Where the transport fails, it says so elsewhere.
  void wait_for_all_sends() noexcept;

  /// How long the host has waited for messages so far.
  double waited_seconds() const { return waited_seconds_; }
  /// What went and what came, counted as it was started and as it came.
  const HaloCount& sent() const { return sent_; }
  const HaloCount& received() const { return received_; }

 private:
  struct Slot {
    std::vector<std::unique_ptr<Message>> sends, receives;
    std::vector<char> is_taken;
  };
  /// Adds what wait() takes to the time waited.
  template <class Wait>
  void timed(const Wait& wait);

  Communicator comm_;
  std::vector<NeighbourMessage> to_, from_;
  double waited_seconds_ = 0;
  HaloCount sent_, received_;
  std::vector<Slot> slots_;
};

/// The blocking mode: the host waits for what was packed, starts messages of the transport, and waits for them. They go
/// from and to the memory of `exec`, or are staged: through pinned memory of the host, and copies between it and the
/// device.
template <execution_space Exec>
class BlockingBackend final : public ExchangeBackend<Exec> {
 public:
  /// Allocates, and waits for `exec`. Of the `send_bytes` of an exchange the first `packed_bytes` are packed where
  /// open() says.
  BlockingBackend(const Exec& exec, Communicator comm, const std::vector<NeighbourMessage>& to,
                  const std::vector<NeighbourMessage>& from, std::int64_t send_bytes, std::int64_t receive_bytes,
                  std::int64_t packed_bytes, HaloStaging staging)
      : messages_(std::move(comm), to, from), staging_(std::move(staging)), from_(from), reached_(exec) {
    const auto uninitialized = [&](const std::string& label) {
      return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::halo::" + label);
    };
    if (staging_.is_staged) {
      packed_ = Buffer(uninitialized("packed"), std::size_t(packed_bytes));
      landed_ = Buffer(uninitialized("landed"), std::size_t(receive_bytes));
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
    if (k >= 0) land(exec, number, from_[std::size_t(k)].begin, from_[std::size_t(k)].count);
    return k;
  }
  void wait_for_all(const Exec& exec, int number) override {
    messages_.wait_for_receives(number);
    land(exec, number, 0, std::int64_t(at(number).staged_receive.size()));
  }
  void finish_arrival(const Exec& exec, int number) override {
    if (staging_.is_staged) at(number).is_free.record(exec);  // it has been copied from there
  }
  const std::byte* received(int number) const override {
    return staging_.is_staged ? landed_.data() : slots_[std::size_t(number)].receive.data();
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
    const std::uint64_t once = packed_.size() + landed_.size();
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

    Staging staged_send, staged_receive;  // where messages are staged
    Buffer send, receive;                 // where they are not
    Event<Exec> is_free;                  // what was received before is needed there no more
  };

  Slot& at(int number) { return slots_[std::size_t(number)]; }

  /// Bytes of the halo that have been received go to the device.
  void land(const Exec& exec, int number, std::int64_t begin, std::int64_t count) {
    if (!staging_.is_staged) return;
    copy(exec, landed_, begin, Kokkos::subview(at(number).staged_receive, std::pair(begin, begin + count)));
  }

  /// to[begin, ...) := from. Enqueued.
  template <class To, class From>
  static void copy(const Exec& exec, const To& to, std::int64_t begin, const From& from) {
    if (from.size() == 0) return;
    Kokkos::deep_copy(exec, Kokkos::subview(to, std::pair(begin, begin + std::int64_t(from.size()))), from);
  }

  /// What is enqueued on `exec` so far.
  void wait_until_reached(const Exec& exec) {
    reached_.record(exec);
    reached_.wait();
  }

  std::vector<Slot> slots_;
  NeighbourMessages messages_;  // behind the buffers, so that it goes before them
  HaloStaging staging_;
  std::vector<NeighbourMessage> from_;
  Buffer packed_, landed_;  // where messages are staged
  Event<Exec> reached_;
};

}  // namespace ashlar::impl
