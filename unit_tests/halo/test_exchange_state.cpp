#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/halo/impl/exchange_backend.hpp>  // nothing else shows it without a GPU
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ashlar::impl {
namespace {

/// Exchanges of the stream mode as a device would make them: captured work runs only when it is replayed, in the slots
/// of the capture. Exchange n carries n, counted when it runs.
class Device {
 public:
  struct Work {
    std::vector<int> slots;
    ExchangeState end;
  };

  ExchangeState state;

  void exchange() {
    exchange(state, [this](int slot) { land(slot); });
  }
  void two_exchanges() {
    two_exchanges(state, [this](int slot) { land(slot); });
  }

  Work capture(int exchanges, bool two_in_flight = false) const {
    Work work{{}, state.captured()};
    const auto record = [&](int slot) { work.slots.push_back(slot); };
    for (int k = 0; k < exchanges; ++k) two_in_flight ? two_exchanges(work.end, record) : exchange(work.end, record);
    return work;
  }
  void replay(const Work& work) {
    for (const int slot : work.slots) land(slot);
    state.replay(work.end);
  }

  std::int64_t num_made() const { return made_; }
  /// The value in the slot that is shown.
  std::int64_t shown() const { return in_slot_[std::size_t(state.shown)]; }
  /// True if two more may arrive while it is read.
  bool is_kept_while_others_come() const {
    return state.next_slot() != state.shown && (state.next_slot() + 1) % num_exchange_slots != state.shown;
  }

 private:
  template <class Run>
  static void exchange(ExchangeState& state, const Run& run) {
    run(state.next_slot());
    state.start({1, 8});
    state.arrive();
    state.received.add(8);
    state.finish();
  }
  template <class Run>
  static void two_exchanges(ExchangeState& state, const Run& run) {
    for (int k = 0; k < 2; ++k) {
      run(state.next_slot());
      state.start({1, 8});
    }
    EXPECT_EQ(state.num_in_flight(), 2);
    for (int k = 0; k < 2; ++k) {
      state.arrive();
      state.received.add(8);
      state.finish();
    }
  }
  void land(int slot) { in_slot_[std::size_t(slot)] = ++made_; }

  std::int64_t made_ = 0;
  std::array<std::int64_t, num_exchange_slots> in_slot_{};
};

void expect_right(const Device& device) {
  EXPECT_EQ(device.shown(), device.num_made());
  EXPECT_TRUE(device.is_kept_while_others_come());
  EXPECT_EQ(device.state.made, device.num_made());
  EXPECT_EQ(device.state.sent.messages, device.num_made());
  EXPECT_EQ(device.state.sent.bytes, 8 * device.num_made());
  EXPECT_EQ(device.state.received.messages, device.num_made());
  EXPECT_EQ(device.state.received.bytes, 8 * device.num_made());
  EXPECT_EQ(device.state.num_in_flight(), 0);
}

TEST(ExchangeStates, FollowReplaysOfAnyWork) {
  Device device;
  for (int before = 0; before < 3; ++before) {
    device.exchange();
    for (int length = 1; length <= 5; ++length) {
      SCOPED_TRACE(length);
      const Device::Work some = device.capture(length);
      const Device::Work in_flight = device.capture(1, true);
      expect_right(device);  // nothing of it was made
      for (int replay = 0; replay < 4; ++replay) {
        device.replay(some);
        expect_right(device);
        if (replay == 1) {
          device.exchange();
          expect_right(device);
        }
        if (replay == 2) {
          device.replay(in_flight);
          expect_right(device);
          device.two_exchanges();
          expect_right(device);
        }
      }
    }
  }
}

TEST(ExchangeStates, AreTheSameObjectUnlessCaptured) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  ExchangeStates<Exec> states;
  states.now().start({1, 8});
  EXPECT_EQ(states.running().num_in_flight(), 1);
  ExchangeStates<Exec> moved = std::move(states);
  EXPECT_EQ(moved.now().num_in_flight(), 1);
}

}  // namespace
}  // namespace ashlar::impl
