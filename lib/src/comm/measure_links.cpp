#include <ashlar/comm/measure_links.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>

namespace ashlar {

double ping_pong_seconds(const Communicator& comm, int other, bool begins, const void* to, void* from,
                         std::size_t bytes, int repetitions) {
  constexpr int tag = 7;
  const std::unique_ptr<Message> send = comm.send(to, bytes, other, tag),
                                 receive = comm.receive(from, bytes, other, tag);
  double best = std::numeric_limits<double>::max();
  for (int k = 0; k < repetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    receive->start();
    if (begins) send->start();
    receive->wait();
    if (!begins) send->start();
    send->wait();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / 2);
  }
  return best;
}

std::vector<RankLink> measure_links(const Communicator& comm) {
  constexpr std::size_t large = std::size_t(4) << 20;
  const int ranks = comm.size();
  std::vector<RankLink> links(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks));
  const std::vector<char> to(ranks > 1 ? large : 0);
  std::vector<char> from(to.size());
  for (int a = 0; a < ranks; ++a) {
    for (int b = a + 1; b < ranks; ++b) {
      RankLink link;
      if (comm.rank() == a || comm.rank() == b) {
        const bool begins = comm.rank() == a;
        const auto seconds = [&](std::size_t bytes, int repetitions) {
          return ping_pong_seconds(comm, begins ? b : a, begins, to.data(), from.data(), bytes, repetitions);
        };
        link.latency_us = 1e6 * seconds(8, 100);
        link.gb_s = 1e-9 * double(large) / seconds(large, 10);
      }
      const auto at = [&](int from_rank, int to_rank) -> RankLink& {
        return links[static_cast<std::size_t>(from_rank) * static_cast<std::size_t>(ranks) +
                     static_cast<std::size_t>(to_rank)];
      };
      at(a, b) = at(b, a) = comm.broadcast(link, a);
    }
  }
  return links;
}

}  // namespace ashlar
