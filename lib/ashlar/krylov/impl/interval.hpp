#pragma once

#include <algorithm>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// How often the host checks for convergence. Iterations that are enqueued before it knows of the end are for nothing;
// checks cost time of their own. Every rank computes the same: from what all of them agree on, never from a backend.

namespace ashlar::impl {

/// Iterations between two checks: those asked for, or as many as move some gigabytes. 1 where the host waits in each
/// iteration anyway; a kernel that ends by itself is checked seldom.
inline int interval_for(int asked, std::int64_t traffic_bytes, bool host_waits, bool ends_by_itself) {
  constexpr double bytes_worth_a_check = 4e9;
  if (asked > 0) return std::min(asked, most_between_checks);
  if (host_waits) return 1;
  const int most = ends_by_itself ? 512 : 16;
  if (traffic_bytes <= 0) return most;
  return static_cast<int>(
      std::clamp(bytes_worth_a_check * (ends_by_itself ? 100 : 1) / double(traffic_bytes), 1.0, double(most)));
}

/// Whether the solve will still be running at this iteration, if the residual goes on falling as it does.
inline bool is_likely_running(const std::vector<double>& norms, const StoppingLimits& limits, int iteration) {
  if (iteration >= limits.max_iterations) return false;
  const std::size_t span = std::min<std::size_t>(norms.size() - 1, 32);
  if (span == 0) return false;
  const double now = norms.back(), before = norms[norms.size() - 1 - span];
  const double least = std::max({limits.target, limits.floor, 1e-300});
  if (!(now < before)) return true;
  const double left = double(span) * std::log(now / least) / std::log(before / now);
  return double(norms.size() - 1) + left >= double(iteration);
}

}  // namespace ashlar::impl
