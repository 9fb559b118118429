#pragma once

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/impl/blocking_backend.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <ashlar/halo/impl/kernel_backend.hpp>
#include <ashlar/halo/impl/stream_backend.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// Collective. Checks the lists and options of all ranks, and returns a communicator for the messages of the exchange.
///
/// Throws   on all ranks together: ArgumentError if options differ, a message has no other rank or a negative length,
///          or a rank sends another length than its neighbour expects.
Communicator agreed_group(const Communicator& comm, const std::vector<NeighbourMessage>& to,
                          const std::vector<NeighbourMessage>& from, const ExchangeOptions& options);

/// The mode of an exchange, and the reason.
struct ChosenMode {
  ExchangeMode mode = ExchangeMode::blocking;
  std::string why = {};
};

/// The modes that an exchange may use, at least one, and the reason against each other mode.
struct PossibleModes {
  std::vector<ExchangeMode> modes = {ExchangeMode::blocking};
  std::vector<std::string> refused = {};  ///< "stream: rank 0 has no transport for streams"
  std::string why = {};                   ///< if there is only one mode, so that none is measured
};

/// The modes for an exchange on `comm`, whose halo is in memory of `kind` on this rank. `wanted` may name one.
/// `is_sent` is false if no rank sends anything. `peers` tells whether kernels may wait for other ranks; it is called
/// only if that matters. Collective; the same on all ranks.
///
/// Throws   ArgumentError on all ranks if the wanted mode does not work here.
PossibleModes possible_modes(const Communicator& comm, const ExchangeOptions& wanted, MemoryKind kind, bool is_sent,
                             const std::function<PeersFound()>& peers);

/// Seconds of an exchange, by mode.
using ModeTimes = std::vector<std::pair<ExchangeMode, double>>;

/// "5.1 us an exchange; blocking takes 12 us; stream: rank 0 has no transport for streams"
std::string why_fastest(ExchangeMode mode, const ModeTimes& times, const std::vector<std::string>& refused);

/// The end of the buffer that holds the messages.
inline std::int64_t end_of(const std::vector<NeighbourMessage>& messages) {
  std::int64_t end = 0;
  for (const NeighbourMessage& message : messages) end = std::max(end, message.begin + message.count);
  return end;
}

/// The messages of an exchange, in a send and a receive buffer of these sizes. The first `packed_bytes` of the send
/// buffer are packed at the address that open() returns.
struct NeighbourBuffers {
  const std::vector<NeighbourMessage>&to, &from;
  std::int64_t send_bytes, receive_bytes, packed_bytes;
};

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

/// The result of timing a backend. The trial makes and counts exchanges.
struct BackendTrial {
  double seconds = 0;  ///< for an exchange, on the slowest rank
  std::int64_t exchanges = 0;
  HaloCount sent = {}, received = {};
  double waited_seconds = 0;

  /// The slot that arrived last.
  int last_slot() const { return exchanges == 0 ? 0 : static_cast<int>((exchanges - 1) % num_exchange_slots); }
};

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
  trial.sent = backend.sent();
  trial.received = backend.received_messages();
  trial.waited_seconds = backend.waited_seconds();
  return trial;
}

}  // namespace ashlar::impl
