#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/direct_messages.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <cstdint>
#include <functional>
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

/// The choice between staged and direct messages, and its reason.
struct HaloStaging {
  bool is_staged = false;
  std::string why = {};
};

/// The choice of a rank whose halo is in memory of `kind`, after find_direct_messages().
///
/// Throws   ArgumentError on all ranks if device memory was asked for and messages from there do not work.
HaloStaging choose_staging(const Communicator& comm, HaloBuffers wanted, const DirectMessages& direct, MemoryKind kind);

/// The same, with find_direct_messages(). Collective; all ranks want the same buffers.
template <execution_space Exec>
HaloStaging find_staging(const Exec& exec, const Communicator& comm, HaloBuffers wanted) {
  if (wanted == HaloBuffers::staged) return {true, "as asked for"};
  return choose_staging(comm, wanted, find_direct_messages(exec, comm), memory_kind_of<typename Exec::memory_space>);
}

/// Seconds of an exchange, by mode.
using ModeTimes = std::vector<std::pair<ExchangeMode, double>>;

/// "5.1 us an exchange; blocking takes 12 us; stream: rank 0 has no transport for streams"
std::string why_fastest(ExchangeMode mode, const ModeTimes& times, const std::vector<std::string>& refused);

}  // namespace ashlar::impl
