#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/trace/parallel_efficiency.hpp>
#include <numeric>

namespace ashlar::trace {

namespace {

double sum(std::span<const double> seconds) { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

bool are_positive(std::span<const double> seconds) {
  return std::all_of(seconds.begin(), seconds.end(), [](double s) { return s > 0; });
}

}  // namespace

ParallelEfficiency parallel_efficiency(double serial_seconds, std::span<const double> alone_seconds,
                                       std::span<const double> busy_seconds, double wall_seconds) {
  if (busy_seconds.empty() || alone_seconds.size() != busy_seconds.size()) {
    throw ArgumentError(text("parallel_efficiency: times of ", alone_seconds.size(), " ranks alone and of ",
                             busy_seconds.size(), " together"),
                        "each rank has one of both", "pass as many of both");
  }
  if (!(serial_seconds > 0) || !(wall_seconds > 0) || !are_positive(alone_seconds) || !are_positive(busy_seconds)) {
    throw ArgumentError("parallel_efficiency: a time that is not positive", "ratios of times are asked for",
                        "measure longer");
  }
  const double alone = sum(alone_seconds), busy = sum(busy_seconds);
  return {serial_seconds / alone, alone / busy, busy / (double(busy_seconds.size()) * wall_seconds)};
}

}  // namespace ashlar::trace
