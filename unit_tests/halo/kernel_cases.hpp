#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/halo/neighbour_exchange.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "halo/exchange_cases.hpp"

// Kernels of a caller's own that pack and unpack an exchange, on ranks of any kind.
namespace ashlar::testing {

/// The numbers of a message that a team packs or takes.
struct Part {
  int message, num_parts, other;     ///< the rank at the other end
  std::int64_t begin, count, place;  ///< of the message's begin in what is taken
};

KOKKOS_INLINE_FUNCTION std::int64_t number_sent(int source, int target, std::int64_t i, std::int64_t round) {
  return ((source * 8 + target) * 8192 + i) * 4096 + round;
}

struct PackParts {
  const Part* parts;
  int rank;
  std::int64_t round;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int task, const PeerSends& sends) const {
    const Part part = parts[task];
    sends(team, part.message, part.num_parts, [&](const OutgoingMessage& to) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, part.begin, part.begin + part.count),
                           [&](std::int64_t i) { to.put<std::int64_t>(i, number_sent(rank, part.other, i, round)); });
    });
  }
};

struct TakeParts {
  const Part* parts;
  std::int64_t* taken;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int task, const PeerReceives& receives) const {
    const Part part = parts[task];
    receives(team, part.message, part.num_parts, [&](const IncomingMessage& from) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, part.begin, part.begin + part.count),
                           [&](std::int64_t i) { taken[part.place + i] = from.get<std::int64_t>(i); });
    });
  }
};

struct CountTask {
  int* counts;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int task) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] { ++counts[task]; });
  }
};

/// A list, on the host. Waits for `exec`.
template <class List>
auto copy_of(const Exec& exec, const List& list) {
  const auto host = Kokkos::create_mirror(Kokkos::view_alloc(Kokkos::HostSpace(), Kokkos::WithoutInitializing), list);
  Kokkos::deep_copy(exec, host, list);
  exec.fence("test::copy");
  return host;
}

/// Numbers from each rank to each other one, of a different length for each pair. The last of three or more ranks has
/// none.
struct NumbersByKernels {
  static constexpr int num_between = 5;

  explicit NumbersByKernels(const Communicator& comm, const ExchangeOptions& options = {})
      : exec(own_instance()), rank(comm.rank()) {
    const int last = comm.size() > 2 ? comm.size() - 1 : comm.size();
    std::vector<NeighbourMessage> to, from;
    std::vector<Part> packed, taken;
    for (int other = 0; other < last && rank < last; ++other) {
      if (other == rank) continue;
      add(to, packed, other, length(rank, other));
      add(from, taken, other, length(other, rank));
    }
    packs = on_device(packed);
    takes = on_device(taken);
    out = Kokkos::View<std::int64_t*, Space>("test::out", std::size_t(end_of(from)));
    counts = Kokkos::View<int*, Space>("test::counts", num_between);
    parts = taken;
    ExchangeOptions by_kernels = options;
    by_kernels.mode = ExchangeMode::kernel;
    exchange = std::make_unique<NeighbourExchange<Exec>>(exec, comm, to, from, by_kernels);
  }

  static std::int64_t length(int source, int target) { return 3 + source + 1500 * target; }

  PeerTasks<PackParts> pack_tasks(std::int64_t round) const {
    return {int(packs.extent(0)), {packs.data(), rank, round}};
  }
  PeerTasks<TakeParts> take_tasks() const { return {int(takes.extent(0)), {takes.data(), out.data()}}; }

  void start(std::int64_t round) { exchange->start_by(exec, "test::pack", pack_tasks(round)); }
  /// Takes the messages where finish() shows them: they lie there as in `out`.
  void finish() {
    exchange->finish(exec);
    const Kokkos::View<const std::int64_t*, Space> received(reinterpret_cast<const std::int64_t*>(exchange->received()),
                                                            out.extent(0));
    Kokkos::deep_copy(exec, out, received);
  }
  void whole(std::int64_t round) {
    const PeerTasks<CountTask> between{num_between, {counts.data()}};
    exchange->exchange_by(exec, "test::all", pack_tasks(round), between, take_tasks());
  }

  /// Wrong numbers among those taken last.
  std::int64_t num_wrong(std::int64_t round) const {
    const auto host = copy_of(exec, out);
    std::int64_t wrong = 0;
    for (const Part& part : parts) {
      for (std::int64_t i = part.begin; i < part.begin + part.count; ++i) {
        wrong += host(std::size_t(part.place + i)) != number_sent(part.other, rank, i, round);
      }
    }
    return wrong;
  }
  /// How often the tasks without messages ran, each equally often.
  int num_counted() const {
    const auto host = copy_of(exec, counts);
    for (int k = 1; k < num_between; ++k) EXPECT_EQ(host(std::size_t(k)), host(0));
    return host(0);
  }

  Exec exec;
  int rank;
  Kokkos::View<Part*, Space> packs, takes;
  Kokkos::View<std::int64_t*, Space> out;
  Kokkos::View<int*, Space> counts;
  std::vector<Part> parts;
  std::unique_ptr<NeighbourExchange<Exec>> exchange;

 private:
  static std::int64_t end_of(const std::vector<NeighbourMessage>& messages) {
    return messages.empty() ? 0 : (messages.back().begin + messages.back().count) / 8;
  }
  static void add(std::vector<NeighbourMessage>& messages, std::vector<Part>& list, int other, std::int64_t count) {
    constexpr std::int64_t of_part = 8;
    const std::int64_t place = end_of(messages);
    const auto message = static_cast<int>(messages.size());
    messages.push_back({other, 8 * place, 8 * count});
    const auto num_parts = static_cast<int>((count + of_part - 1) / of_part);
    for (std::int64_t begin = 0; begin < count; begin += of_part) {
      list.push_back({message, num_parts, other, begin, std::min(of_part, count - begin), place});
    }
  }
  Kokkos::View<Part*, Space> on_device(const std::vector<Part>& list) const {
    const Kokkos::View<Part*, Space> there("test::parts", list.size());
    const auto here = Kokkos::create_mirror_view(there);
    std::copy(list.begin(), list.end(), here.data());
    Kokkos::deep_copy(exec, there, here);
    exec.fence("test::parts");
    return there;
  }
};

/// Exchanges by kernels in all forms, one after the other, are right; ranks are ahead and behind at random.
inline void expect_right_by_kernels(const Communicator& comm, int count, const ExchangeOptions& options = {}) {
  NumbersByKernels side(comm, options);
  std::mt19937 random(static_cast<unsigned>(comm.rank()));
  std::int64_t wrong = 0, round = 0, made_whole = 0;
  const auto check = [&](std::int64_t its_round) {
    if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
    wrong += side.num_wrong(its_round);
  };
  while (round < count) {
    for (int k = 0; k < 3; ++k, ++made_whole) {
      side.whole(round);
      check(round++);
    }
    side.start(round);
    side.start(round + 1);
    EXPECT_THROW(side.whole(0), ArgumentError);
    for (int k = 0; k < 2; ++k) {
      side.finish();
      check(round++);
    }
    // No result is read between these.
    for (int k = 0; k < 5; ++k, ++made_whole) side.whole(round++);
    check(round - 1);
    side.start(round);
    side.finish();
    check(round++);
  }
  EXPECT_EQ(wrong, 0) << "rank " << comm.rank();
  EXPECT_EQ(side.num_counted(), made_whole);
  EXPECT_EQ(side.exchange->figures().exchanges, round);
  EXPECT_EQ(side.exchange->figures().received.bytes, round * std::int64_t(side.out.size()) * 8);
}

}  // namespace ashlar::testing
