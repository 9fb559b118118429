#pragma once

#include <ashlar/halo/exchange_mode.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace ashlar::app {

/// One of several ranks, and what it did in the solve.
struct RankAccount {
  std::string host, space, device;            ///< "OpenMP" is a space
  std::optional<double> read_bandwidth_gb_s;  ///< while the others measured theirs
  std::optional<double> nonzeros_per_second;  ///< by which rows were dealt
  std::int64_t num_block_rows = 0, num_blocks = 0;
  double busy_seconds = 0, waited_seconds = 0;  ///< waited for other ranks
  std::optional<double> idle_seconds = 0;       ///< of that, with nothing to do; unknown of a kernel that iterates
  std::optional<double> alone_seconds;          ///< of the same work while the others rest
  std::uint64_t device_bytes = 0;               ///< of its rows, their halo and buffers, where it multiplies
  std::optional<std::uint64_t> sent_bytes;      ///< to there in a product, where it streams
  std::optional<double> hidden_share;           ///< where it did so to a device: StreamOverlap
  HaloFigures halo = {};                        ///< what it exchanged with others

  /// Of the solve.
  std::optional<double> idle_share() const {
    const double all = busy_seconds + waited_seconds;
    if (!idle_seconds) return std::nullopt;
    return all > 0 ? *idle_seconds / all : 0;
  }
};

}  // namespace ashlar::app
