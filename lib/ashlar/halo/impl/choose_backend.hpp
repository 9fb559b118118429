#pragma once

#include <ashlar/comm/communicator.hpp>
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

/// Seconds of an exchange, by mode.
using ModeTimes = std::vector<std::pair<ExchangeMode, double>>;

/// "5.1 us an exchange; blocking takes 12 us; stream: rank 0 has no transport for streams"
std::string why_fastest(ExchangeMode mode, const ModeTimes& times, const std::vector<std::string>& refused);

}  // namespace ashlar::impl
