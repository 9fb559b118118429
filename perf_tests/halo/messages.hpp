#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/halo/exchange_mode.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::perf {

/// What one rank sends and receives in an exchange.
struct RankMessages {
  int rank = 0;
  std::vector<NeighbourMessage> to, from;

  std::int64_t bytes() const { return to.empty() ? 0 : static_cast<std::int64_t>(to.size()) * to[0].count; }
};

/// Ranks in a ring: each sends as many bytes to the next one, to the one before, to the second next and so on, until it
/// has `neighbours` of them, which are fewer than ranks; and receives from those that it is such a one of.
inline RankMessages ring_messages(int rank, int num_ranks, int neighbours, std::int64_t bytes) {
  RankMessages result{rank, {}, {}};
  for (int k = 0; k < neighbours; ++k) {
    const int step = k % 2 == 0 ? k / 2 + 1 : num_ranks - (k / 2 + 1);
    result.to.push_back({(rank + step) % num_ranks, 0, bytes});
    result.from.push_back({(rank + num_ranks - step) % num_ranks, 0, bytes});
  }
  for (auto* const messages : {&result.to, &result.from}) {
    std::sort(messages->begin(), messages->end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    for (std::size_t k = 0; k < messages->size(); ++k) (*messages)[k].begin = static_cast<std::int64_t>(k) * bytes;
  }
  return result;
}

/// Byte i of what one rank sends to another in a round.
KOKKOS_INLINE_FUNCTION std::byte message_byte(int source, int target, std::int64_t i, int round) {
  return static_cast<std::byte>((53 * source + 11 * target + 29 * round + i + 7 * (i >> 8)) & 0xff);
}

/// The buffer of what is sent := what it is in that round. Enqueued.
template <class Exec>
void fill_messages(const Exec& exec, const RankMessages& messages, int round, std::byte* buffer) {
  const int source = messages.rank;
  for (const NeighbourMessage& message : messages.to) {
    const int target = message.rank;
    std::byte* const begin = buffer + message.begin;
    Kokkos::parallel_for(
        "perf::fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, message.count),
        KOKKOS_LAMBDA(std::int64_t i) { begin[i] = message_byte(source, target, i, round); });
  }
}

/// How many bytes of what was received are not what they are in that round. Waits for `exec`.
template <class Exec>
std::int64_t num_wrong_bytes(const Exec& exec, const RankMessages& messages, int round, const std::byte* buffer) {
  const int target = messages.rank;
  std::int64_t wrong = 0;
  for (const NeighbourMessage& message : messages.from) {
    const int source = message.rank;
    const std::byte* const begin = buffer + message.begin;
    std::int64_t here = 0;
    Kokkos::parallel_reduce(
        "perf::check", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, message.count),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t & count) {
          if (begin[i] != message_byte(source, target, i, round)) ++count;
        },
        here);
    exec.fence("perf::check");
    wrong += here;
  }
  return wrong;
}

}  // namespace ashlar::perf
