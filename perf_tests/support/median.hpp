#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace ashlar::perf {

/// Of one value at least.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// By how much each value is more than the one that was measured next to it, in the median: what changes slowly, as
/// clocks and other work do, is in both. As many of either, one at least.
inline double median_difference(const std::vector<double>& more, const std::vector<double>& less) {
  std::vector<double> differences(more.size());
  std::transform(more.begin(), more.end(), less.begin(), differences.begin(), [](double a, double b) { return a - b; });
  return median(std::move(differences));
}

}  // namespace ashlar::perf
