#include "rank_links.hpp"

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

namespace ashlar::app {

namespace {

/// Seconds of a message of so many bytes, as one of the two sees it: the best of some.
double seconds_one_way(const Communicator& comm, int other, bool begins, std::size_t bytes, int repetitions) {
  constexpr int tag = 7;
  std::vector<char> to(bytes), from(bytes);
  const std::unique_ptr<Message> send = comm.send(to.data(), bytes, other, tag),
                                 receive = comm.receive(from.data(), bytes, other, tag);
  double best = std::numeric_limits<double>::max();
  for (int k = 0; k < repetitions; ++k) {
    const Kokkos::Timer timer;
    receive->start();
    if (begins) send->start();
    receive->wait();
    if (!begins) send->start();
    send->wait();
    best = std::min(best, timer.seconds() / 2);
  }
  return best;
}

}  // namespace

std::vector<RankLink> measure_rank_links(const Communicator& comm) {
  constexpr std::size_t large = std::size_t(4) << 20;
  const int ranks = comm.size();
  std::vector<RankLink> links(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks));
  for (int a = 0; a < ranks; ++a) {
    for (int b = a + 1; b < ranks; ++b) {
      RankLink link;
      if (comm.rank() == a || comm.rank() == b) {
        const bool begins = comm.rank() == a;
        const int other = begins ? b : a;
        link.latency_us = 1e6 * seconds_one_way(comm, other, begins, 8, 100);
        link.gb_s = 1e-9 * double(large) / seconds_one_way(comm, other, begins, large, 10);
      }
      const auto at = [&](int from, int to) -> RankLink& {
        return links[static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks) + static_cast<std::size_t>(to)];
      };
      at(a, b) = at(b, a) = comm.broadcast(link, a);
    }
  }
  return links;
}

}  // namespace ashlar::app
