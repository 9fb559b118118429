#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/streaming/impl/measure.hpp>
#include <ashlar/streaming/planner.hpp>
#include <cmath>
#include <initializer_list>

namespace ashlar {

/// Refines a plan by trying its neighbours: numbers of subdivisions somewhat smaller and larger, and shares of the host
/// a little and much smaller and larger, of at most most_host_share of the blocks, as long as one of them is faster;
/// where the plan leaves the host idle, a tenth. `seconds` of the result is measured.
///
/// Memory   makes a StreamedMatrix for each trial, one after another, within the plan's limit; x and y are like the
///          vectors of later products, and hold numbers; y is overwritten.
/// Async    returns when all is measured.
/// Throws   as StreamedMatrix does.
template <class Streamed, class Exec, class X, class Y>
StreamingPlan tune_streaming(const Exec& exec, const typename Streamed::host_type& matrix, const StreamingPlan& plan,
                             const X& x, const Y& y, double most_host_share = 1) {
  constexpr double worth_it = 0.995;
  constexpr int most_rounds = 4;
  StreamingPlan best = plan;
  const auto measure = [&](const StreamingOptions& options) {
    const Streamed streamed(exec, matrix, options);
    return impl::seconds_of(
        3, [&] { streamed.apply(exec, x, y); }, [&] { exec.fence("ashlar::streaming: products to be tuned"); });
  };
  best.seconds = measure(plan.options);
  const auto try_one = [&](double host_share, double num_subdivisions) {
    StreamingOptions options = best.options;
    options.host_share = std::min({host_share, most_host_share, 1.0});
    options.num_subdivisions = std::max(1, static_cast<int>(std::lround(num_subdivisions)));
    try {
      const double seconds = measure(options);
      if (seconds >= worth_it * best.seconds) return false;
      best.options = options;
      best.seconds = seconds;
      best.estimate = Streamed::estimate(matrix, options);
      return true;
    } catch (const MemoryError&) {
      return false;  // buffers too large for the limit
    }
  };
  bool better = true;
  for (int round = 0; round < most_rounds && better; ++round) {
    better = false;
    const StreamingOptions from = best.options;
    for (const double factor : {0.75, 1.33}) {
      better = try_one(from.host_share, factor * from.num_subdivisions) || better;
    }
    if (from.host_share == 0) {
      constexpr double some = 0.1;
      const bool may_multiply = plan.figures.host_block_seconds > 0 && most_host_share > 0;
      better = (may_multiply && try_one(some, best.options.num_subdivisions)) || better;
      continue;
    }
    // Far away, too: of a host that others use the figures may be of a bad moment.
    for (const double factor : {0.7, 0.95, 1.05, 1.4}) {
      better = try_one(factor * from.host_share, best.options.num_subdivisions) || better;
    }
  }
  return best;
}

}  // namespace ashlar
