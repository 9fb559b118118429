#pragma once

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/halo_figures.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <chrono>
#include <cstdint>

namespace ashlar::impl {

/// The result of timing a backend: the time of an exchange, and how many exchanges the trial made and counted.
struct BackendTrial {
  double seconds = 0;  ///< of an exchange, on the slowest rank
  std::int64_t exchanges = 0;
  HaloCount sent = {}, received = {};
  double waited_seconds = 0;

  /// The slot that arrived last.
  int last_slot() const { return exchanges == 0 ? 0 : static_cast<int>((exchanges - 1) % num_exchange_slots); }
};

/// Times up to ten exchanges of a new backend, with whatever its buffers hold; fewer if they take long. Collective over
/// `comm`; the same time on all ranks.
template <execution_space Exec>
BackendTrial time_backend(const Exec& exec, const Communicator& comm, ExchangeBackend<Exec>& backend) {
  constexpr double seconds_of_batch = 5e-4;
  constexpr int most_of_batch = 4;
  BackendTrial trial;
  const auto seconds_of = [&](int count) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < count; ++k) {
      const int previous = trial.last_slot();
      const int slot = static_cast<int>(trial.exchanges % num_exchange_slots);
      backend.open(exec, slot);
      backend.start(exec, slot);
      backend.begin_arrival(exec, previous);
      backend.wait_for_all(exec, slot);
      backend.finish_arrival(exec, slot);
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
  trial.sent = backend.sent();
  trial.received = backend.received_messages();
  trial.waited_seconds = backend.waited_seconds();
  return trial;
}

}  // namespace ashlar::impl
