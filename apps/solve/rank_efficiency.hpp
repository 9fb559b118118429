#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "solve/rank_account.hpp"

namespace ashlar::app {

/// What of the ranks' time in a solve is known.
struct RankTimes {
  const std::vector<RankAccount>& ranks;
  /// Of as many iterations by one rank, where its report was given and there were iterations.
  std::optional<double> seconds_on_one = {};
  bool is_one_given = false;
  /// One kernel of each rank iterated: what it waits for the others in there nobody measures, and to the host it is
  /// busy all the time.
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

}  // namespace ashlar::app
