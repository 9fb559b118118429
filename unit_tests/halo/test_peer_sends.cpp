// A kernel that sends: it writes to a slot of its neighbour again only when the neighbour has taken what was there.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/halo/peer_tasks.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::testing {
namespace {

using HostExec = Kokkos::DefaultHostExecutionSpace;

/// A neighbour that takes nothing by itself, and the sender's counts.
struct SlowNeighbour {
  std::array<double, impl::num_exchange_slots> slots{};
  SharedFlag arrived, taken;
  impl::PeerCount count;
  std::uint64_t skipped = 0;
  int gave_up = impl::peers_work;

  /// Sends the next message, which is one number. Returns whether it went.
  bool send(double value) {
    const impl::PeerPut put{reinterpret_cast<std::byte*>(slots.data()), sizeof(double), &arrived, &taken, false};
    const PeerSends sends(&put, &count, &skipped, TimeLimit{1'000'000, &gave_up});
    gave_up = impl::peers_work;
    Kokkos::parallel_for("test::send", Kokkos::TeamPolicy<HostExec>(HostExec(), 1, 1),
                         [=](const Kokkos::TeamPolicy<HostExec>::member_type& team) {
                           sends(team, 0, 1, [&](const OutgoingMessage& to) { to.put<double>(0, value); });
                         });
    HostExec().fence("test::send");
    return gave_up == impl::peers_work;
  }
};

TEST(PeerSends, WriteToASlotAgainOnlyWhenItWasTaken) {
  SlowNeighbour neighbour;
  constexpr int slots = impl::num_exchange_slots;
  std::array<double, slots> expected{};
  for (int k = 0; k < slots; ++k) {
    ASSERT_TRUE(neighbour.send(1 + k)) << "slot " << k << " is free";
    expected[std::size_t(k)] = 1 + k;
  }
  for (int k = 0; k < slots + 1; ++k) {
    if (k % slots == 0) {
      EXPECT_FALSE(neighbour.send(100)) << "the neighbour has taken " << k;
      EXPECT_EQ(neighbour.slots, expected) << "nothing is written in vain";
      EXPECT_EQ(neighbour.arrived.count, std::uint64_t(slots + k));
    }
    neighbour.taken.count = std::uint64_t(k + 1);
    ASSERT_TRUE(neighbour.send(1 + slots + k));
    expected[std::size_t(k % slots)] = 1 + slots + k;
    EXPECT_EQ(neighbour.slots, expected);
    EXPECT_EQ(neighbour.arrived.count, std::uint64_t(slots + k + 1));
  }
}

}  // namespace
}  // namespace ashlar::testing
