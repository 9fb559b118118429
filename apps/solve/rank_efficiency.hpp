#pragma once

#include <ashlar/halo/exchange_mode.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::app {

/// One of several ranks, and its figures in the solve.
struct RankAccount {
  std::string host, space, device;            ///< "OpenMP" is a space
  std::optional<double> read_bandwidth_gb_s;  ///< while the others measured theirs
  std::optional<double> nonzeros_per_second;  ///< by which rows were distributed
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

/// How ranks exchanged their halos, and why so.
struct ExchangeAccount {
  std::string mode, why;
};

/// The exchange of a solve by kernels that iterate: these send halo and sums themselves. `of_products` is the exchange
/// of separate products, of which such a solve has few.
ExchangeAccount exchange_of_kernels(const ExchangeAccount& of_products);

/// The known times of the ranks in a solve.
struct RankTimes {
  const std::vector<RankAccount>& ranks;
  /// The time of the same number of iterations on one rank, if its report was given and there were iterations.
  std::optional<double> seconds_on_one = {};
  bool is_one_given = false;
  /// One kernel of each rank iterated: nobody measures how long it waits for the others, and to the host it is busy all
  /// the time.
  bool iterates_in_kernels = false;
};

/// Where it went: trace::ParallelEfficiency, as far as it is known. `total` may be known without its factors.
struct RankEfficiency {
  std::optional<double> total, granularity, tasks, pipeline;
  std::string missing;  ///< what is, and how to get it or why there is none; nothing where all is known
};

RankEfficiency efficiency_of(const RankTimes& times);

/// As it stands in reports.
nlohmann::ordered_json efficiency_json(const RankEfficiency& efficiency);

/// A line for people; nothing where the total is not known.
std::string efficiency_line(const RankEfficiency& efficiency);

/// The value, or null where there is none.
template <class Value>
nlohmann::ordered_json optional_json(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace ashlar::app
