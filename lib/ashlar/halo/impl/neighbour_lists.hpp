#pragma once

#include <algorithm>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/memory_kind.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/neighbour_message.hpp>
#include <cstdint>
#include <string>
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

/// That of an exchange on `comm` where `wanted` is asked for, and this rank's halo is in memory of this kind.
/// Collective; the same on all ranks.
///
/// Throws   ArgumentError on all ranks where that mode does not work here.
ChosenMode choose_mode(const Communicator& comm, ExchangeMode wanted, MemoryKind kind);

/// The end of the buffer that these are of.
inline std::int64_t end_of(const std::vector<NeighbourMessage>& messages) {
  std::int64_t end = 0;
  for (const NeighbourMessage& message : messages) end = std::max(end, message.begin + message.count);
  return end;
}

}  // namespace ashlar::impl
