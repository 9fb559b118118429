#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/rank_speed.hpp>
#include <cmath>
#include <cstddef>
#include <limits>

namespace ashlar {

namespace {

void check(double weight, std::span<const RankSpeed> speeds) {
  if (!(weight >= 0) || !is_finite(weight)) {
    throw ArgumentError(text("rank shares: a weight of ", weight), "it is finite, and not negative",
                        "give the weight of all rows");
  }
  bool some = false;
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    const auto& [speed, besides] = speeds[rank];
    if (!(speed >= 0) || !is_finite(speed) || !(besides >= 0) || !is_finite(besides)) {
      throw ArgumentError(
          text("rank shares: rank ", rank, " does ", speed, " a second, with an overhead of ", besides, " s"),
          "both are finite, and not negative", "measure them again");
    }
    some = some || speed > 0;
  }
  if (!some) {
    throw ArgumentError(text("rank shares: ", speeds.size(), " ranks, all of speed 0"), "the rows need an owner",
                        "give speeds, of which at least one is positive");
  }
}

/// The time of an iteration if all ranks with a share take equally long. Ranks with a larger overhead get none.
double common_seconds(double weight, std::span<const RankSpeed> speeds) {
  double limit = std::numeric_limits<double>::infinity();
  for (;;) {
    double together = 0, done = weight;
    for (const auto& [speed, besides] : speeds) {
      if (!(besides < limit)) continue;
      together += speed;
      done += speed * besides;
    }
    const double seconds = done / together;
    const bool all_gain = std::all_of(speeds.begin(), speeds.end(), [&](const RankSpeed& its) {
      return its.weight_per_second == 0 || !(its.seconds_besides < limit) || its.seconds_besides < seconds;
    });
    if (all_gain || weight == 0) return seconds;
    limit = seconds;
  }
}

}  // namespace

RankSpeed speed_by_busy_time(double part, double busy_seconds, double seconds_besides) {
  for (const double number : {part, busy_seconds, seconds_besides}) {
    if (number >= 0 && is_finite(number)) continue;
    throw ArgumentError(text("rank speed: a part of ", part, ", ", busy_seconds, " s busy, with an overhead of ",
                             seconds_besides, " s"),
                        "all are finite, and not negative", "measure them again");
  }
  if (part == 0 || busy_seconds == 0) return {0, seconds_besides};
  return {part / std::max(busy_seconds - seconds_besides, 0.5 * busy_seconds), seconds_besides};
}

RankShares share_by_speed(double weight, std::span<const RankSpeed> speeds) {
  check(weight, speeds);
  const auto fastest = std::max_element(speeds.begin(), speeds.end(), [](const RankSpeed& a, const RankSpeed& b) {
    return a.weight_per_second < b.weight_per_second;
  });
  RankShares result{std::vector<double>(speeds.size(), 0), weight / fastest->weight_per_second};
  const double together = common_seconds(weight, speeds);
  // Without weight, all rows count the same.
  if (weight > 0 && result.seconds <= together) {
    result.shares[std::size_t(fastest - speeds.begin())] = 1;
    return result;
  }
  double sum = 0;
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    const auto& [speed, besides] = speeds[rank];
    result.shares[rank] = weight > 0 ? std::max(speed * (together - besides), 0.0) : speed;
    sum += result.shares[rank];
  }
  for (double& share : result.shares) share /= sum;
  result.seconds = weight > 0 ? together : 0;
  return result;
}

RankShares share_with_hosts(double weight, std::span<const RankSpeed> speeds, std::span<const int> on_host) {
  if (on_host.size() != speeds.size()) {
    throw ArgumentError(text("rank shares: ", speeds.size(), " speeds for ", on_host.size(), " ranks"),
                        "each rank has one of both", "give both for all ranks");
  }
  constexpr double most_of_devices = 0.9;
  RankShares all = share_by_speed(weight, speeds);
  std::vector<RankSpeed> of_devices(speeds.begin(), speeds.end());
  bool some = false;
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    if (on_host[rank] != 0) of_devices[rank].weight_per_second = 0;
    some = some || of_devices[rank].weight_per_second > 0;
  }
  if (!some) return all;
  RankShares devices = share_by_speed(weight, of_devices);
  return all.seconds < most_of_devices * devices.seconds ? all : devices;
}

double seconds_of_parts(std::span<const double> parts, std::span<const RankSpeed> speeds) {
  if (parts.size() != speeds.size()) {
    throw ArgumentError(text("rank shares: ", parts.size(), " parts for ", speeds.size(), " speeds"),
                        "each rank has one of both", "give both for all ranks");
  }
  const auto num_busy = std::count_if(parts.begin(), parts.end(), [](double part) { return part > 0; });
  double longest = 0;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    if (parts[rank] == 0) continue;
    if (!(speeds[rank].weight_per_second > 0)) {
      throw ArgumentError(text("rank shares: a part of ", parts[rank], " on rank ", rank), "its speed is 0",
                          "give it none");
    }
    const double besides = num_busy > 1 ? speeds[rank].seconds_besides : 0;
    longest = std::max(longest, parts[rank] / speeds[rank].weight_per_second + besides);
  }
  return longest;
}

std::int64_t iterations_left(std::span<const double> residuals, double rtol, std::int64_t most) {
  most = std::max<std::int64_t>(most, 0);
  if (residuals.size() < 2) return 0;
  const auto made = static_cast<std::int64_t>(residuals.size()) - 1;
  const double first = residuals.front(), last = residuals.back();
  if (last <= rtol) return 0;
  if (!(last < first) || !(rtol > 0)) return std::min(made, most);
  const double left = double(made) * std::log(last / rtol) / std::log(first / last);
  return left < double(most) ? static_cast<std::int64_t>(std::ceil(left)) : most;
}

}  // namespace ashlar
