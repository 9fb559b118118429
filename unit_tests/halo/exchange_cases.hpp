#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/halo/halo_exchange.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "halo/needs.hpp"
#include "support/thread_ranks.hpp"

// Checks of exchanges on ranks of any kind, called by all of them: threads or processes.
namespace ashlar::testing {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

/// An instance of a rank's own: on a device, too.
template <class E = Exec>
E own_instance() {
  if constexpr (std::is_same_v<E, Kokkos::DefaultHostExecutionSpace>) {
    return rank_instance<E>();
  } else {
    return Kokkos::Experimental::partition_space(E(), 1)[0];
  }
}

/// The value in a row of a global entry, in a round: different for each, and exact in float.
template <scalar Scalar>
KOKKOS_FUNCTION Scalar value_at(std::int64_t entry, std::int64_t row, std::int64_t vector, std::int64_t round) {
  using Real = real_t<Scalar>;
  const auto number = static_cast<Real>(entry * 64 + row * 8 + vector + 8192 * (round % 1000));
  if constexpr (is_complex_v<Scalar>) {
    return Scalar(number, -number - Real(0.5));
  } else {
    return number;
  }
}

template <class X>
KOKKOS_FUNCTION decltype(auto) at(const X& x, std::int64_t row, std::int64_t vector) {
  if constexpr (X::rank() == 1) {
    return x(row);
  } else {
    return x(row, vector);
  }
}

/// x := the values of this rank, in a round.
template <class X>
void fill(const Exec& exec, const X& x, std::int64_t first_entry, int block_size, std::int64_t round) {
  using Scalar = typename X::non_const_value_type;
  const auto columns = X::rank() == 1 ? 1 : static_cast<std::int64_t>(x.extent(1));
  Kokkos::parallel_for(
      "test::fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(x.extent(0))),
      KOKKOS_LAMBDA(std::int64_t row) {
        for (std::int64_t vector = 0; vector < columns; ++vector) {
          at(x, row, vector) = value_at<Scalar>(first_entry + row / block_size, row % block_size, vector, round);
        }
      });
}

/// The number of scalars of these entries with wrong values for that round; begin to end: positions in the halo.
template <class Exchange>
std::int64_t num_wrong(const Exec& exec, const Exchange& exchange, const Numbers& entries, std::int64_t round,
                       std::int64_t begin, std::int64_t end) {
  const auto halo = exchange.multi_halo();
  using Scalar = typename decltype(halo)::non_const_value_type;
  const auto host = Kokkos::create_mirror(Kokkos::view_alloc(Kokkos::HostSpace(), Kokkos::WithoutInitializing), halo);
  Kokkos::deep_copy(exec, host, halo);
  exec.fence("test::num_wrong");
  const int b = exchange.block_size();
  EXPECT_EQ(std::int64_t(host.extent(0)), std::int64_t(entries.size()) * b);
  std::int64_t wrong = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    for (std::int64_t row = 0; row < b; ++row) {
      for (std::int64_t vector = 0; vector < exchange.num_vectors(); ++vector) {
        const Scalar expected = value_at<Scalar>(entries[static_cast<std::size_t>(i)], row, vector, round);
        wrong += !(host(i * b + row, vector) == expected);  // NaN is wrong
      }
    }
  }
  return wrong;
}

template <class Exchange>
std::int64_t num_wrong(const Exec& exec, const Exchange& exchange, const Numbers& entries, std::int64_t round) {
  return num_wrong(exec, exchange, entries, round, 0, static_cast<std::int64_t>(entries.size()));
}

/// One rank's side of exchanges of one vector of doubles, of a pattern of needs.
struct Side {
  Side(const Communicator& comm, const Needs& needs, HaloForm form = HaloForm::automatic, int block_size = 1,
       HaloBuffers buffers = HaloBuffers::automatic, ExchangeMode mode = ExchangeMode::automatic,
       std::optional<std::int64_t> packet_bytes = std::nullopt)
      : exec(own_instance()),
        x(Kokkos::view_alloc(exec, std::string("test::x")), needs.partition.size(comm.rank()) * block_size),
        exchange(exec, comm,
                 HaloPlan(comm, needs.partition, needs.at(comm.rank()),
                          {.form = form, .buffers = buffers, .packet_bytes = packet_bytes}),
                 block_size, 1, mode),
        entries(entries_of_halo(needs, exchange.plan())),
        first_entry(needs.partition.begin(comm.rank())) {}

  /// At the end it overwrites x, which begin() has read.
  void begin(std::int64_t round) {
    fill(exec, x, first_entry, exchange.block_size(), round);
    exchange.begin(exec, x);
    Kokkos::deep_copy(exec, x, -1.0);
    exec.fence("test::begin");
  }
  std::int64_t num_wrong(std::int64_t round) const { return testing::num_wrong(exec, exchange, entries, round); }

  Exec exec;
  Kokkos::View<double*, Space> x;  // before the exchange: to free it waits for the device, which may wait for others
  HaloExchange<double, Exec> exchange;
  Numbers entries;
  std::int64_t first_entry;
};

/// Exchanges one after the other of vectors of any kind are right: begun and ended, and at once.
template <class X>
void expect_right_exchange(const Communicator& comm, const Needs& needs, const HaloOptions& options, int block_size,
                           const Exec& exec, const X& x, ExchangeMode mode) {
  using Scalar = typename X::non_const_value_type;
  const int num_vectors = X::rank() == 1 ? 1 : static_cast<int>(x.extent(1));
  HaloPlan plan(comm, needs.partition, needs.at(comm.rank()), options);
  HaloExchange<Scalar, Exec> exchange(exec, comm, std::move(plan), block_size, num_vectors, mode);
  const Numbers entries = entries_of_halo(needs, exchange.plan());
  const bool has_packets = options.packet_bytes.value_or(default_halo_packet_bytes<Exec>) > 0 &&
                           mode == ExchangeMode::kernel && !entries.empty();
  EXPECT_EQ(exchange.explain().find(" as packets") != std::string::npos, has_packets) << exchange.explain();
  for (int round = 1; round <= 4; ++round) {
    const bool is_whole = round % 2 == 0;
    fill(exec, x, needs.partition.begin(comm.rank()), block_size, round);
    is_whole ? exchange.exchange(exec, x) : exchange.begin(exec, x);
    Kokkos::deep_copy(exec, x, Scalar(-1));
    exec.fence("test::spoil");
    if (!is_whole) exchange.end(exec);
    EXPECT_EQ(num_wrong(exec, exchange, entries, round), 0)
        << "rank " << comm.rank() << ", blocks of " << block_size << ", " << num_vectors << " vectors of "
        << scalar_name<Scalar>() << ", layout " << typeid(typename X::array_layout).name();
  }
  if constexpr (X::rank() == 1) {
    EXPECT_EQ(exchange.halo().data(), exchange.multi_halo().data());
    EXPECT_EQ(exchange.halo().size(), entries.size() * static_cast<std::size_t>(block_size));
  }
}

/// The same for one vector and for several, of both layouts and with columns or rows apart.
template <scalar Scalar>
void expect_right_exchanges(const Communicator& comm, const Needs& needs, HaloForm form, int block_size,
                            HaloBuffers buffers = HaloBuffers::automatic, ExchangeMode mode = ExchangeMode::automatic,
                            std::optional<std::int64_t> packet_bytes = std::nullopt) {
  SCOPED_TRACE(needs.name + ", " + std::string(to_string(form)) + ", buffers: " + std::string(to_string(buffers)) +
               ", mode: " + std::string(to_string(mode)) + ", ranks: " + std::to_string(comm.size()));
  const HaloOptions options{.form = form, .buffers = buffers, .packet_bytes = packet_bytes};
  const Exec exec = own_instance();
  const std::int64_t rows = needs.partition.size(comm.rank()) * block_size;
  const auto label = Kokkos::view_alloc(exec, std::string("test::x"));
  using Left = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Space>;
  using Right = Kokkos::View<Scalar**, Kokkos::LayoutRight, Space>;
  const auto expect_right = [&](const auto& x) {
    expect_right_exchange(comm, needs, options, block_size, exec, x, mode);
  };
  expect_right(Kokkos::View<Scalar*, Space>(label, rows));
  expect_right(Left(label, rows, 4));
  expect_right(Right(label, rows, 4));
  expect_right(Right(label, rows, 1));
  expect_right(Kokkos::subview(Right(label, rows, 5), Kokkos::ALL, std::pair(1, 4)));
  expect_right(Kokkos::subview(Right(label, rows, 5), Kokkos::ALL, 2));
  expect_right(Kokkos::subview(Left(label, rows + 3, 5), std::pair(std::int64_t(2), rows + 2), std::pair(1, 3)));
}

/// `count` exchanges back to back, without a barrier, ranks ahead and behind at random. With two on their way, the next
/// is begun before the one before ends.
inline void expect_right_back_to_back(const Communicator& comm, const Needs& needs, int count, bool two_in_flight,
                                      bool by_pieces, HaloBuffers buffers = HaloBuffers::automatic,
                                      ExchangeMode mode = ExchangeMode::automatic,
                                      std::optional<std::int64_t> packet_bytes = std::nullopt) {
  Side side(comm, needs, HaloForm::automatic, 2, buffers, mode, packet_bytes);
  std::mt19937 random(static_cast<unsigned>(comm.rank()));
  std::int64_t wrong = 0;
  const auto end = [&](int round) {
    if (by_pieces) {
      while (side.exchange.next_arrived(side.exec) >= 0) {
      }
    } else {
      side.exchange.end(side.exec);
    }
    // Now and then a rank is late; it reads its halo late, too.
    if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
    wrong += side.num_wrong(round);
  };
  if (two_in_flight) side.begin(0);
  for (int round = two_in_flight ? 1 : 0; round < count; ++round) {
    side.begin(round);
    end(two_in_flight ? round - 1 : round);
  }
  if (two_in_flight) end(count - 1);
  EXPECT_EQ(wrong, 0) << "rank " << comm.rank();
  EXPECT_EQ(side.exchange.num_exchanges(), count);
  EXPECT_EQ(side.exchange.num_in_flight(), 0);
}

/// `count` exchanges, alternately whole ones and two in flight; ranks ahead and behind at random.
inline void expect_right_whole(const Communicator& comm, const Needs& needs, int count, ExchangeMode mode,
                               std::optional<std::int64_t> packet_bytes = std::nullopt) {
  Side side(comm, needs, HaloForm::automatic, 2, HaloBuffers::automatic, mode, packet_bytes);
  std::mt19937 random(static_cast<unsigned>(comm.rank()));
  std::int64_t wrong = 0;
  const auto is_late = [&] {
    if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
  };
  int round = 0;
  while (round < count) {
    for (int k = 0; k < 4; ++k, ++round) {
      fill(side.exec, side.x, side.first_entry, 2, round);
      side.exchange.exchange(side.exec, side.x);
      is_late();
      wrong += side.num_wrong(round);
    }
    side.begin(round);
    side.begin(round + 1);
    EXPECT_THROW(side.exchange.exchange(side.exec, side.x), ArgumentError);
    for (int k = 0; k < 2; ++k, ++round) {
      side.exchange.end(side.exec);
      is_late();
      wrong += side.num_wrong(round);
    }
  }
  EXPECT_EQ(wrong, 0) << "rank " << comm.rank();
  EXPECT_EQ(side.exchange.num_exchanges(), round);
}

/// x := the values of the next round, computed from those of this one.
inline void fill_next(const Exec& exec, const Kokkos::View<double*, Space>& x) {
  Kokkos::parallel_for(
      "test::fill_next", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(x.extent(0))),
      KOKKOS_LAMBDA(std::int64_t row) { x(row) += 8192; });
}

/// Captured and replayed exchanges, and those between replays, are right and counted. Without capture, the same work is
/// enqueued again each time.
inline void expect_right_replays(const Communicator& comm, const Needs& needs, ExchangeMode mode, bool is_whole = false,
                                 std::optional<std::int64_t> packet_bytes = std::nullopt) {
  Side side(comm, needs, HaloForm::automatic, 2, HaloBuffers::automatic, mode, packet_bytes);
  const Exec& exec = side.exec;
  const auto exchange = [&] {
    fill_next(exec, side.x);
    if (is_whole) {
      side.exchange.exchange(exec, side.x);
      return;
    }
    side.exchange.begin(exec, side.x);
    side.exchange.end(exec);
  };
  const auto two_exchanges = [&] {  // the first of them is not looked at
    for (int k = 0; k < 2; ++k) {
      fill_next(exec, side.x);
      side.exchange.begin(exec, side.x);
    }
    for (int k = 0; k < 2; ++k) side.exchange.end(exec);
  };
  std::int64_t rounds = 0, wrong = 0;
  const auto look = [&](int more) {
    rounds += more;
    wrong += side.num_wrong(rounds);
  };
  fill(exec, side.x, side.first_entry, 2, 0);
  exchange();
  look(1);
  two_exchanges();
  look(2);
  for (int length = 1; length <= 5; ++length) {
    const CapturedWork<Exec> some(exec, [&] {
      for (int k = 0; k < length; ++k) exchange();
    });
    const CapturedWork<Exec> in_flight(exec, two_exchanges);
    look(0);  // nothing has come
    for (int replay = 0; replay < 4; ++replay) {
      some.replay(exec);
      look(length);
      if (replay == 1) {
        fill_next(exec, side.x);
        side.exchange.begin(exec, side.x);
        look(0);  // what came last stays while the next comes
        side.exchange.end(exec);
        look(1);
      }
      if (replay == 2) {
        in_flight.replay(exec);
        look(2);
        two_exchanges();
        look(2);
      }
    }
    for (int replay = 0; replay < 3; ++replay) some.replay(exec);
    look(3 * length);
  }
  EXPECT_EQ(wrong, 0) << "rank " << comm.rank();
  const HaloFigures figures = side.exchange.figures();
  EXPECT_EQ(figures.exchanges, rounds);
  EXPECT_EQ(figures.sent.messages, rounds * std::int64_t(side.exchange.plan().to().size()));
  EXPECT_EQ(figures.sent.bytes, rounds * side.exchange.bytes_sent());
  EXPECT_EQ(figures.received.messages, rounds * std::int64_t(side.exchange.plan().from().size()));
  EXPECT_EQ(figures.received.bytes, rounds * side.exchange.bytes_received());
}

}  // namespace ashlar::testing
