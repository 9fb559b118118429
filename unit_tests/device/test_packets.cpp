// Packets, flags and time limits, in memory of the host and in kernels of one device.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/flag.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <cstdint>
#include <limits>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

template <PacketScope scope>
struct SendPackets {
  Packet* packets;
  std::uint32_t number;
  KOKKOS_FUNCTION void operator()(int i) const { send_packet<scope>(packets + i, 0.1 * i - 1e300 * (i % 2), number); }
};

template <PacketScope scope>
struct CountPackets {
  const Packet* packets;
  std::uint32_t number;
  KOKKOS_FUNCTION void operator()(int i, int& count) const {
    double value = 0;
    count += receive_packet<scope>(packets + i, number, value) && value == 0.1 * i - 1e300 * (i % 2) ? 1 : 0;
  }
};

template <PacketScope scope>
void expect_packets_in_kernels() {
  const Exec exec;
  constexpr int count = 100;
  const Kokkos::View<Packet*, Space> packets("test::packets", count);
  for (const std::uint32_t number : {1U, 2U, 0xffffffffU}) {
    int found = 0;
    const Kokkos::RangePolicy<Exec> all(exec, 0, count);
    Kokkos::parallel_reduce("test::none", all, CountPackets<scope>{packets.data(), number}, found);
    EXPECT_EQ(found, 0) << "packets of other sequence numbers are not taken";
    Kokkos::parallel_for("test::send", all, SendPackets<scope>{packets.data(), number});
    Kokkos::parallel_reduce("test::count", all, CountPackets<scope>{packets.data(), number}, found);
    EXPECT_EQ(found, count);
  }
}

TEST(Packets, AreSentAndReceivedByKernels) {
  expect_packets_in_kernels<PacketScope::device>();
  expect_packets_in_kernels<PacketScope::system>();
}

TEST(Packets, AreSixteenBytesOfDataAboveSequenceNumbers) {
  static_assert(sizeof(Packet) == 16 && alignof(Packet) == 16);
  Packet packet;
  send_packet<PacketScope::system>(&packet, -std::numeric_limits<double>::infinity(), 7);
  EXPECT_EQ(packet.words[0], 0x0000000000000007U);
  EXPECT_EQ(packet.words[1], 0xfff0000000000007U);
}

TEST(Packets, NeedTheSequenceNumberInBothWords) {
  Packet packet;
  double value = 0;
  send_packet<PacketScope::system>(&packet, 0.1, 4);
  EXPECT_TRUE(receive_packet<PacketScope::system>(&packet, 4, value));
  EXPECT_EQ(value, 0.1);
  for (std::uint64_t& word : packet.words) {
    const std::uint64_t before = word;
    word = packet_word(1, 5);
    EXPECT_FALSE(receive_packet<PacketScope::system>(&packet, 4, value));
    EXPECT_FALSE(receive_packet<PacketScope::system>(&packet, 5, value));
    word = before;
  }
}

TEST(Packets, OfOneWordCarryFourBytes) {
  std::uint64_t word = 0;
  std::uint32_t data = 0;
  send_packet_word(&word, 0xfffffffeU, 3);
  EXPECT_FALSE(receive_packet_word(&word, 2, data));
  EXPECT_TRUE(receive_packet_word(&word, 3, data));
  EXPECT_EQ(data, 0xfffffffeU);
}

TEST(SharedFlag, HasACacheLineOfItsOwnAndIsRaised) {
  static_assert(sizeof(SharedFlag) == 128);
  SharedFlag flag;
  raise_flag(&flag, std::uint64_t(1) << 40);
  EXPECT_EQ(load_shared(&flag.count), std::uint64_t(1) << 40);
}

struct Arrive {
  unsigned* counter;
  KOKKOS_FUNCTION void operator()(int) const { add_release(counter); }
};
struct ReadCounter {
  const unsigned* counter;
  KOKKOS_FUNCTION void operator()(int, unsigned& value) const { value = load_acquire(counter); }
};

TEST(SharedFlag, CountsArrivalsOfThreads) {
  const Exec exec;
  const Kokkos::View<unsigned, Space> counter("test::counter");
  Kokkos::parallel_for("test::arrive", Kokkos::RangePolicy<Exec>(exec, 0, 1000), Arrive{counter.data()});
  unsigned value = 0;
  Kokkos::parallel_reduce("test::read", Kokkos::RangePolicy<Exec>(exec, 0, 1), ReadCounter{counter.data()}, value);
  EXPECT_EQ(value, 1000U);
}

TEST(TimeLimit, EndsAWaitAndTellsOtherThreads) {
  int gave_up = 0, polls = 0;
  EXPECT_TRUE(wait_until([&] { return ++polls == 5000; }, TimeLimit{time_limit_ns(1e300), &gave_up}));
  EXPECT_EQ(gave_up, 0);
  EXPECT_FALSE(wait_until([] { return false; }, TimeLimit{time_limit_ns(1e-3), &gave_up}));
  EXPECT_EQ(gave_up, 1);
  EXPECT_FALSE(wait_until([] { return false; }, TimeLimit{time_limit_ns(1e300), &gave_up})) << "another thread gave up";
  EXPECT_TRUE(wait_until([] { return true; }, TimeLimit{0, &gave_up}));
}

}  // namespace
}  // namespace ashlar::testing
