// Messages as packets, value by value, in memory of the host.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/halo/peer_messages.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::testing {
namespace {

/// A message of at most 64 bytes, and its other end.
struct Packets {
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(16);
  int gave_up = 0;

  OutgoingMessage out(std::uint32_t number) { return {reinterpret_cast<std::byte*>(words.data()), true, number}; }
  IncomingMessage in(std::uint32_t number) {
    return {reinterpret_cast<const std::byte*>(words.data()), true, number, TimeLimit{1'000'000, &gave_up}};
  }
};

template <class T>
void expect_to_come(const T& first, const T& second) {
  for (const std::uint32_t number : {1U, 0xffffffffU, 0U}) {
    Packets message;
    message.out(number).put<T>(1, second);
    message.out(number).put<T>(0, first);
    EXPECT_EQ(message.in(number).get<T>(0), first);
    EXPECT_EQ(message.in(number).get<T>(1), second);
    EXPECT_EQ(message.gave_up, 0);
  }
}

TEST(Messages, ValuesOfWholeWordsComeAsPackets) {
  expect_to_come<float>(1.5F, -2.25F);
  expect_to_come<std::int32_t>(-1, 7);
  expect_to_come<double>(0.1, -1e300);
  expect_to_come<std::int64_t>(std::int64_t(-3), std::int64_t(1) << 40);
  expect_to_come<Kokkos::complex<double>>({0.1, -0.2}, {3, 4e-300});
}

TEST(Messages, OfAnotherExchangeHaveNotCome) {
  Packets message;
  message.out(4).put<double>(0, 1);
  message.in(7).get<double>(0);
  EXPECT_NE(message.gave_up, 0);
}

/// Half of a value is none.
TEST(Messages, AreWaitedForWordByWord) {
  Packets message;
  message.out(4).put<double>(0, 1);
  message.out(7).put<float>(0, 1);
  PacketData<double> ignored{};
  EXPECT_FALSE(message.in(7).wait_for<double>(0, ignored));
  EXPECT_NE(message.gave_up, 0);
}

TEST(Messages, LieAsTheyAreWhereTheyAreNoPackets) {
  std::vector<double> values(3);
  int gave_up = 0;
  const OutgoingMessage out(reinterpret_cast<std::byte*>(values.data()), false, 1);
  out.put<double>(2, 0.25);
  EXPECT_EQ(values, (std::vector<double>{0, 0, 0.25}));
  EXPECT_EQ(out.plain<double>(), values.data());
  const IncomingMessage in(reinterpret_cast<const std::byte*>(values.data()), false, 1, {1, &gave_up});
  EXPECT_EQ(in.get<double>(2), 0.25);
  EXPECT_EQ(in.plain<double>(), values.data());
  Packets packets;
  EXPECT_EQ(packets.out(1).plain<double>(), nullptr);
  EXPECT_EQ(packets.in(1).plain<double>(), nullptr);
}

}  // namespace
}  // namespace ashlar::testing
