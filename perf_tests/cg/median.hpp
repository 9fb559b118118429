#pragma once

#include <algorithm>
#include <vector>

namespace ashlar::perf {

/// Of one value at least.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Whole solves are timed so many times: they take longer than those of few iterations.
inline constexpr int solve_samples = 3;

}  // namespace ashlar::perf
