#pragma once

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/halo_figures.hpp>
#include <ashlar/halo/impl/exchange_way.hpp>
#include <chrono>
#include <cstdint>

namespace ashlar::impl {

/// What a trial of a way has found, and what it has left behind: the exchanges that it made, which go through slots in
/// turns, and what the way has counted of them.
struct WayTrial {
  double seconds = 0;  ///< of an exchange, on the rank where it takes longest
  std::int64_t exchanges = 0;
  HaloCount sent = {}, received = {};
  double waited_seconds = 0;

  /// The slot that landed last.
  int last_slot() const { return exchanges == 0 ? 0 : static_cast<int>((exchanges - 1) % num_exchange_slots); }
};

/// Times some exchanges of a new way, of whatever is in its buffers: ten at most, fewer where they take long.
/// Collective over `comm`; the same time on all ranks.
template <execution_space Exec>
WayTrial try_way(const Exec& exec, const Communicator& comm, ExchangeWay<Exec>& way) {
  constexpr double seconds_of_batch = 5e-4;
  constexpr int most_of_batch = 4;
  WayTrial trial;
  const auto seconds_of = [&](int count) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < count; ++k) {
      const int previous = trial.last_slot();
      const int slot = static_cast<int>(trial.exchanges % num_exchange_slots);
      way.open(exec, slot);
      way.start(exec, slot);
      way.begin_landing(exec, previous);
      way.wait_for_all(exec, slot);
      way.finish_landing(exec, slot);
      ++trial.exchanges;
    }
    exec.fence("ashlar::halo: a mode is tried");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / count;
  };
  // The first one is for what is made late, and for ranks that come late.
  seconds_of(1);
  const double estimate = std::max(comm.max(seconds_of(1)), 1e-9);
  const int count = std::clamp(static_cast<int>(seconds_of_batch / estimate), 1, most_of_batch);
  const double first = seconds_of(count), second = seconds_of(count);
  trial.seconds = comm.max(std::min(first, second));
  trial.sent = way.sent();
  trial.received = way.received_messages();
  trial.waited_seconds = way.waited_seconds();
  return trial;
}

}  // namespace ashlar::impl
