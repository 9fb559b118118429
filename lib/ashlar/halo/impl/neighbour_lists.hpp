#pragma once

#include <algorithm>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/memory_kind.hpp>
#include <ashlar/comm/peer/find_peer_memory.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/neighbour_message.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// Collective. A group of its own for an exchange about which all ranks agree.
///
/// Throws   on all ranks together: ArgumentError where options differ, a message is of no other rank or of no length,
///          or what one rank sends is not what the other expects.
Communicator agreed_group(const Communicator& comm, const std::vector<NeighbourMessage>& to,
                          const std::vector<NeighbourMessage>& from, const ExchangeOptions& options);

/// The mode that an exchange uses, and why.
struct ChosenMode {
  ExchangeMode mode = ExchangeMode::blocking;
  std::string why = {};
};

/// The modes that an exchange may take, one at least, and why not the others.
struct PossibleModes {
  std::vector<ExchangeMode> modes = {ExchangeMode::blocking};
  std::vector<std::string> refused = {};  ///< "stream: rank 0 has no transport for streams"
  std::string why = {};                   ///< where there is one alone, and nothing to measure
};

/// Those of an exchange on `comm` where `wanted` is asked for, and this rank's halo is in memory of this kind, of which
/// the fastest is to be found where the mode is automatic and something `is_sent`. `peers` says whether kernels may
/// wait for other ranks, and is asked where that matters. Collective; the same on all ranks.
///
/// Throws   ArgumentError on all ranks where that mode does not work here.
PossibleModes possible_modes(const Communicator& comm, const ExchangeOptions& wanted, MemoryKind kind, bool is_sent,
                             const std::function<PeersFound()>& peers);

/// Seconds of an exchange, by mode.
using ModeTimes = std::vector<std::pair<ExchangeMode, double>>;

/// "5.1 us an exchange; blocking takes 12 us; stream: rank 0 has no transport for streams"
std::string why_fastest(ExchangeMode mode, const ModeTimes& times, const std::vector<std::string>& refused);

/// The end of the buffer that these are of.
inline std::int64_t end_of(const std::vector<NeighbourMessage>& messages) {
  std::int64_t end = 0;
  for (const NeighbourMessage& message : messages) end = std::max(end, message.begin + message.count);
  return end;
}

}  // namespace ashlar::impl
