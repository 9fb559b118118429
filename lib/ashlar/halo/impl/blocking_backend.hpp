#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/impl/choose_backend.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The messages of an exchange through the transport: for each slot one to and one from each neighbour, made once.
///
/// They have a communicator of their own, and each slot has its own tag. So a message is never matched with another
/// exchange, however far ahead a neighbour is.
class NeighbourMessages {
 public:
  /// `comm` serves these messages alone.
  NeighbourMessages(Communicator comm, std::vector<NeighbourMessage> to, std::vector<NeighbourMessage> from)
      : comm_(std::move(comm)), to_(std::move(to)), from_(std::move(from)) {}

  /// Makes the messages of the next slot, from and to these buffers.
  void add_slot(const std::byte* send, std::byte* receive) {
    const int tag = static_cast<int>(slots_.size());
    Slot& slot = slots_.emplace_back();
    for (const NeighbourMessage& to : to_) {
      slot.sends.push_back(comm_.send(send + to.begin, std::size_t(to.count), to.rank, tag));
    }
    for (const NeighbourMessage& from : from_) {
      slot.receives.push_back(comm_.receive(receive + from.begin, std::size_t(from.count), from.rank, tag));
    }
  }

  void start_receives(int slot) {
    Slot& s = slots_[std::size_t(slot)];
    s.is_taken.assign(s.receives.size(), 0);
    for (const auto& message : s.receives) message->start();
  }
  void start_sends(int slot) {
    for (const auto& message : slots_[std::size_t(slot)].sends) message->start();
  }

  /// Returns when the send buffer may be written again.
  void wait_for_sends(int slot) { wait_for(slots_[std::size_t(slot)].sends); }
  void wait_for_receives(int slot) { wait_for(slots_[std::size_t(slot)].receives); }
  /// Waits for a message that was not returned since start_receives(). Returns its place in `from`; -1 after the last.
  int wait_for_any(int slot) {
    Slot& s = slots_[std::size_t(slot)];
    const Waited waited(waited_seconds_);
    for (bool are_left = true; are_left;) {
      are_left = false;
      for (std::size_t k = 0; k < s.receives.size(); ++k) {
        if (s.is_taken[k]) continue;
        are_left = true;
        if (!s.receives[k]->is_done()) continue;
        s.receives[k]->wait();
        s.is_taken[k] = 1;
        return static_cast<int>(k);
      }
      if (are_left) std::this_thread::yield();  // other ranks may share the processor
    }
    return -1;
  }

  /// Returns when all messages are sent. Ignores errors of the transport: this is for destructors.
  void wait_for_all_sends() noexcept {
    try {
      for (const Slot& slot : slots_) wait_for(slot.sends);
    } catch (const std::exception&) {
      // A destructor cannot report it.
    }
  }

  /// Time for which the host has waited for messages.
  double waited_seconds() const { return waited_seconds_; }

 private:
  using Messages = std::vector<std::unique_ptr<Message>>;
  struct Slot {
    Messages sends, receives;
    std::vector<char> is_taken;
  };

  /// Adds the time of a scope.
  struct Waited {
    explicit Waited(double& the_seconds) : seconds(the_seconds) {}
    ~Waited() { seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }

    double& seconds;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  };

  void wait_for(const Messages& messages) {
    const Waited waited(waited_seconds_);
    for (const auto& message : messages) message->wait();
  }

  Communicator comm_;
  std::vector<NeighbourMessage> to_, from_;
  double waited_seconds_ = 0;
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
