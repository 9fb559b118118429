#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/trace/parallel_efficiency.hpp>

#include "numbers.hpp"
#include "solve/rank_efficiency.hpp"

namespace ashlar::app {

ExchangeAccount exchange_of_kernels(const ExchangeAccount& of_products) {
  return {"packets", text("one kernel of each rank iterates, and sends halo and sums itself, not as messages; products "
                          "by themselves: ",
                          of_products.mode, ", ", of_products.why)};
}

namespace {

/// Of all ranks together.
struct Seconds {
  double busy = 0, all = 0;
};

Seconds seconds_of(const std::vector<RankAccount>& ranks) {
  Seconds seconds;
  for (const RankAccount& rank : ranks) {
    seconds.busy += rank.busy_seconds;
    seconds.all += rank.busy_seconds + rank.waited_seconds;
  }
  return seconds;
}

/// Where each rank's time alone is known, too.
RankEfficiency with_all_factors(const RankTimes& times) {
  std::vector<double> alone, busy;
  for (const RankAccount& rank : times.ranks) {
    alone.push_back(*rank.alone_seconds);
    // A rank without rows may have been busy for less than clocks tell.
    busy.push_back(std::max(rank.busy_seconds, 1e-9));
  }
  const double wall = seconds_of(times.ranks).all / static_cast<double>(times.ranks.size());
  const auto e = trace::parallel_efficiency(*times.seconds_on_one, alone, busy, wall);
  return {e.total(), e.granularity, e.tasks, e.pipeline, ""};
}

constexpr const char* no_factors =
    "granularity, tasks and pipeline: how long a rank waits for others in the kernel that iterates is not measured";

/// How to get the figures that are relative to one rank.
std::string how_to_get(const RankTimes& times) {
  return times.is_one_given ? ": no iteration was made"
                            : ", counted from one rank alone: solve the same on one rank like these with --report "
                              "FILE, and here with --efficiency FILE";
}

}  // namespace

RankEfficiency efficiency_of(const RankTimes& times) {
  const Seconds seconds = seconds_of(times.ranks);
  if (times.iterates_in_kernels) {
    RankEfficiency known;
    if (times.seconds_on_one) {
      known.total = *times.seconds_on_one / seconds.all;
      known.missing = no_factors;
    } else {
      known.missing = text("total", how_to_get(times), "; ", no_factors);
    }
    return known;
  }
  if (times.seconds_on_one) return with_all_factors(times);
  RankEfficiency known;
  known.pipeline = seconds.all > 0 ? seconds.busy / seconds.all : 1;
  known.missing = "total, granularity and tasks" + how_to_get(times);
  return known;
}

nlohmann::ordered_json efficiency_json(const RankEfficiency& efficiency) {
  using Json = nlohmann::ordered_json;
  return {{"total", optional_json(efficiency.total)},
          {"granularity", optional_json(efficiency.granularity)},
          {"tasks", optional_json(efficiency.tasks)},
          {"pipeline", optional_json(efficiency.pipeline)},
          {"missing", efficiency.missing.empty() ? Json(nullptr) : Json(efficiency.missing)}};
}

std::string efficiency_line(const RankEfficiency& efficiency) {
  if (!efficiency.total) return "";
  const std::string total = "efficiency " + short_number(*efficiency.total);
  if (!efficiency.granularity) return text(total, " (without ", efficiency.missing, ")\n");
  return text(total, " = granularity ", short_number(*efficiency.granularity), " x tasks ",
              short_number(*efficiency.tasks), " x pipeline ", short_number(*efficiency.pipeline), '\n');
}

}  // namespace ashlar::app
