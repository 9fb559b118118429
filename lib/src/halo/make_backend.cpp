#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/execution_spaces.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/halo/impl/blocking_backend.hpp>
#include <ashlar/halo/impl/choose_backend.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <ashlar/halo/impl/kernel_backend.hpp>
#include <ashlar/halo/impl/stream_backend.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The backends of exchanges, compiled here alone.

namespace ashlar::impl {

namespace {

/// Makes the backend of a mode other than automatic. Collective over `comm`; `own` serves the messages of this exchange
/// alone. To add a mode, extend this function, ExchangeMode with to_string(), and possible_modes().
///
/// Throws   on all ranks together: CommError or ArgumentError if the mode does not work here.
template <execution_space Exec>
std::unique_ptr<ExchangeBackend<Exec>> make_exchange_backend(const Exec& exec, ExchangeMode mode,
                                                             const Communicator& comm, Communicator own,
                                                             const NeighbourBuffers& buffers,
                                                             const ExchangeOptions& options) {
  if (mode == ExchangeMode::stream) {
    const std::shared_ptr<StreamTransport>& streams = comm.own_streams();
    return comm.together([&] {
      return std::make_unique<StreamBackend<Exec>>(exec, streams, buffers.to, buffers.from, buffers.send_bytes,
                                                   buffers.receive_bytes);
    });
  }
  if (mode == ExchangeMode::kernel) {
    return std::make_unique<KernelBackend<Exec>>(exec, std::move(own), buffers.to, buffers.from, buffers.send_bytes,
                                                 options);
  }
  HaloStaging staging = find_staging(exec, comm, options.buffers);
  return comm.together([&] {
    return std::make_unique<BlockingBackend<Exec>>(exec, std::move(own), buffers.to, buffers.from, buffers.send_bytes,
                                                   buffers.receive_bytes, buffers.packed_bytes, std::move(staging));
  });
}

/// Times up to ten exchanges of a new backend, with arbitrary data; fewer if they take long. Collective over `comm`;
/// the same time on all ranks.
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
  // The first exchange absorbs lazy set-up, and ranks that arrive late.
  seconds_of(1);
  const double estimate = std::max(comm.max(seconds_of(1)), 1e-9);
  const int count = std::clamp(static_cast<int>(seconds_of_batch / estimate), 1, most_of_batch);
  const double first = seconds_of(count), second = seconds_of(count);
  trial.seconds = comm.max(std::min(first, second));
  trial.waited_seconds = backend.waited_seconds();
  return trial;
}

/// Makes a backend for each possible mode, times it, and keeps the one whose slowest rank is fastest.
template <execution_space Exec>
ChosenBackend<Exec> fastest_backend(const Exec& exec, const Communicator& comm, const Communicator& own,
                                    const PossibleModes& possible, const NeighbourBuffers& buffers,
                                    const ExchangeOptions& options) {
  ChosenBackend<Exec> chosen;
  ModeTimes times;
  std::vector<std::string> refused = possible.refused;
  for (const ExchangeMode mode : possible.modes) {
    std::unique_ptr<ExchangeBackend<Exec>> backend;
    try {
      backend = make_exchange_backend<Exec>(exec, mode, comm, own.duplicate(), buffers, options);
    } catch (const Error& error) {  // on all ranks together
      if (mode == ExchangeMode::blocking) throw;
      refused.push_back(text(to_string(mode), ": ", error.what()));
      continue;
    }
    const BackendTrial trial = time_backend(exec, comm, *backend);
    times.emplace_back(mode, trial.seconds);
    if (!chosen.backend || trial.seconds < chosen.trial.seconds) {
      chosen.backend.swap(backend);
      chosen.trial = trial;
      chosen.mode = mode;
    }
    if (!backend) continue;
    backend->wait_for_sends();
    backend->wait_for_device();
  }
  chosen.why = why_fastest(chosen.mode, times, refused);
  return chosen;
}

}  // namespace

template <execution_space Exec>
ChosenBackend<Exec> choose_backend(const Exec& exec, const Communicator& comm, const NeighbourBuffers& buffers,
                                   const ExchangeOptions& options) {
  Communicator own = agreed_group(comm, buffers.to, buffers.from, options);
  // Bytes sent are also received, on some rank.
  const bool is_sent = options.mode == ExchangeMode::automatic && comm.max(buffers.send_bytes) > 0;
  const PossibleModes possible = possible_modes(comm, options, memory_kind_of<typename Exec::memory_space>, is_sent,
                                                [&] { return find_peer_memory(exec, comm); });
  if (possible.modes.size() > 1) return fastest_backend(exec, comm, own, possible, buffers, options);
  const ExchangeMode mode = possible.modes[0];
  return {make_exchange_backend<Exec>(exec, mode, comm, std::move(own), buffers, options), mode, possible.why};
}

#define ASHLAR_EXCHANGES_OF(Exec)                                                                        \
  template ChosenBackend<Exec> choose_backend(const Exec&, const Communicator&, const NeighbourBuffers&, \
                                              const ExchangeOptions&);
ASHLAR_FOR_EACH_EXECUTION_SPACE(ASHLAR_EXCHANGES_OF)
#undef ASHLAR_EXCHANGES_OF

}  // namespace ashlar::impl
