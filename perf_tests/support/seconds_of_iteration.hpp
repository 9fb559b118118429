#pragma once

#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <support/median.hpp>
#include <vector>

namespace ashlar::perf {

/// Of two solves, one of fewer iterations and one of more, the seconds of samples that were measured next to each
/// other.
using SolveSeconds = std::array<std::vector<double>, 2>;

/// How much longer the second takes, in the median, for each iteration that it makes more. Negative where other work
/// delayed the first by more than these take.
inline double difference_by_iteration(const SolveSeconds& seconds, int fewer, int more) {
  return median_difference(seconds[1], seconds[0]) / (more - fewer);
}

/// The seconds of an iteration by that.
///
/// Throws   ArgumentError where they are not positive.
inline double seconds_of_iteration(const SolveSeconds& seconds, int fewer, int more) {
  const double result = difference_by_iteration(seconds, fewer, more);
  if (result > 0) return result;
  throw ArgumentError(text("--iterations ", fewer, ",", more), "the difference of the two is lost in noise",
                      "take numbers further apart, or more --samples");
}

}  // namespace ashlar::perf
