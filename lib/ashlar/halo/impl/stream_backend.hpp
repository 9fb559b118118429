#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/device/runtime/priority_instance.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The stream mode: messages are enqueued on an instance beside the caller's, and events order the two. The host never
/// waits. If kernels run on the host, there is no stream: start() sends the messages.
///
/// All captured exchanges use one instance. It orders them, the work before them, and their replays. So a captured
/// exchange waits for its own messages only, by events that nothing outside the capture waits for.
template <execution_space Exec>
class StreamBackend final : public ExchangeBackend<Exec> {
 public:
  /// Allocates, and waits for `exec`. Other exchanges and sums of the same order share `transport`.
  StreamBackend(const Exec& exec, std::shared_ptr<StreamTransport> transport, const std::vector<NeighbourMessage>& to,
                const std::vector<NeighbourMessage>& from, std::int64_t send_bytes, std::int64_t receive_bytes)
      : side_(exec), transport_(std::move(transport)), packed_(exec) {
    const auto uninitialized = [&](const char* label) {
      return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label));
    };
    slots_.reserve(num_exchange_slots);
    for (int i = 0; i < num_exchange_slots; ++i) {
      Slot& slot = slots_.emplace_back(exec);
      slot.send = Buffer(uninitialized("ashlar::halo::send"), std::size_t(send_bytes));
      slot.receive = Buffer(uninitialized("ashlar::halo::receive"), std::size_t(receive_bytes));
      for (const NeighbourMessage& message : to) {
        slot.sends.push_back({slot.send.data() + message.begin, std::size_t(message.count), message.rank});
      }
      for (const NeighbourMessage& message : from) {
        slot.receives.push_back({slot.receive.data() + message.begin, std::size_t(message.count), message.rank});
      }
    }
    exec.fence("ashlar::halo: buffers of the stream mode");
  }

  std::byte* open(const Exec& exec, int number) override {
    if (Capture<Exec>* const capture = Capture<Exec>::current()) {
      follow(*capture);
    } else {
      at(number).has_gone.wait(exec);
    }
    return at(number).send.data();
  }
  std::byte* outgoing(int number) override { return at(number).send.data(); }

  void start(const Exec& exec, int number) override {
    Slot& slot = at(number);
    if constexpr (is_gpu_v<Exec>) {
      packed_.record(exec);
      packed_.wait(side_.get());
      if (Capture<Exec>::current() == nullptr) slot.is_free.wait(side_.get());
    } else {
      exec.fence("ashlar::halo: packed");
      slot.is_free.wait();
    }
    transport_->exchange(slot.sends, slot.receives, side_.stream());
    sent_event(slot).record(side_.get());
  }

  void begin_arrival(const Exec& exec, int previous) override {
    if (Capture<Exec>::current() == nullptr) at(previous).is_free.record(exec);
    num_given_ = 0;
  }
  int wait_for_any(const Exec& exec, int number) override {
    if (num_given_ == 0) sent_event(at(number)).wait(exec);
    return num_given_ < int(at(number).receives.size()) ? num_given_++ : -1;
  }
  void wait_for_all(const Exec& exec, int number) override { sent_event(at(number)).wait(exec); }
  void finish_arrival(const Exec&, int) override {}
  const std::byte* received(int number) const override { return slots_[std::size_t(number)].receive.data(); }

  void wait_for_sends() noexcept override {
    for (const Slot& slot : slots_) slot.has_gone.wait();
    has_ended_ = true;
  }
  void wait_for_device() noexcept override {
    // Otherwise the device may wait for messages that other ranks never send.
    if (!has_ended_) transport_->abort();
    for (const Slot& slot : slots_) {
      slot.has_gone.wait();
      slot.is_free.wait();
    }
  }

  void check() const override { transport_->check(); }

  bool is_stream_ordered() const override { return true; }
  bool is_staged() const override { return false; }
  double waited_seconds() const override { return 0; }
  std::string explain() const override { return text("on a stream, by ", transport_->explain()); }
  HeldBytes bytes() const override {
    std::uint64_t bytes = 0;
    for (const Slot& slot : slots_) bytes += slot.send.size() + slot.receive.size();
    return {bytes, 0};
  }

 private:
  using Buffer = Kokkos::View<std::byte*, typename Exec::memory_space>;

  struct Slot {
    explicit Slot(const Exec& exec) : has_gone(exec), is_free(exec), has_gone_in_capture(exec) {}

    Buffer send, receive;
    std::vector<StreamSend> sends;
    std::vector<StreamReceive> receives;
    Event<Exec> has_gone;  // the exchange is done: sent data may be overwritten, received data are there
    Event<Exec> is_free;   // the data received before are read
    Event<Exec> has_gone_in_capture;
  };

  Slot& at(int number) { return slots_[std::size_t(number)]; }
  static Event<Exec>& sent_event(Slot& slot) {
    return Capture<Exec>::current() != nullptr ? slot.has_gone_in_capture : slot.has_gone;
  }

  /// Later exchanges wait for a replay as for the work enqueued last.
  void follow(Capture<Exec>& capture) {
    if (std::exchange(followed_, capture.number()) == capture.number()) return;
    capture.at_replay([this](const Exec& exec) {
      for (Slot& slot : slots_) {
        slot.has_gone.record(exec);
        slot.is_free.record(exec);
      }
    });
  }

  PriorityInstance<Exec> side_;
  std::shared_ptr<StreamTransport> transport_;
  std::vector<Slot> slots_;
  Event<Exec> packed_;
  int num_given_ = 0;
  bool has_ended_ = false;
  std::uint64_t followed_ = 0;  // number of the capture
};

}  // namespace ashlar::impl
