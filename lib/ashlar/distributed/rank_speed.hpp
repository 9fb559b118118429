#pragma once

#include <cstdint>
#include <span>
#include <vector>

// The share of a system for each of several unequal ranks, and the estimates to decide on a new partition during a
// solve. Plain arithmetic on measurements: all ranks that pass the same numbers get the same bits.

namespace ashlar {

/// The speed of a rank.
struct RankSpeed {
  double weight_per_second = 0;  ///< weight is any measure of rows: blocks, non-zeros; 0: no rows
  /// The fixed overhead of an iteration if several ranks have rows: messages, launches.
  double seconds_besides = 0;
};

/// The speed of a rank that was busy for `busy_seconds` of an iteration with this part of the weight. Busy time is the
/// time of an iteration without idle time in the halo and in sums. It includes the fixed overhead `seconds_besides`,
/// which is subtracted, but at most half of the busy time, since it was measured separately. Without a part or busy
/// time the speed is unknown: 0.
///
/// Throws   ArgumentError if a number is negative or not finite.
RankSpeed speed_by_busy_time(double part, double busy_seconds, double seconds_besides = 0);

/// Shares of a system, and the predicted time.
struct RankShares {
  std::vector<double> shares;  ///< of the weight, by rank; their sum is 1
  double seconds = 0;          ///< of an iteration
};

/// Load-balanced shares: all ranks with a share take equally long. A rank gets no share if its overhead exceeds the
/// time of the others without it. One rank gets everything if that is at least as fast as any sharing.
///
/// Throws   ArgumentError if the weight, a speed or a time is negative or not finite, or all speeds are 0.
RankShares share_by_speed(double weight, std::span<const RankSpeed> speeds);

/// The same if some ranks compute on the host beside others on devices. Ranks on the host get a share only if that
/// shortens an iteration by a tenth: without them, devices exchange, sum and iterate in their own kernels, which these
/// speeds do not include.
///
/// on_host  not 0 for ranks on the host
/// Throws   as share_by_speed(), and ArgumentError if the lists have different lengths.
RankShares share_with_hosts(double weight, std::span<const RankSpeed> speeds, std::span<const int> on_host);

/// Seconds of an iteration with these parts of the weight, on the slowest rank.
///
/// Throws   ArgumentError if the lists have different lengths, or a rank of speed 0 has a part.
double seconds_of_parts(std::span<const double> parts, std::span<const RankSpeed> speeds);

/// An estimate of the remaining iterations of a solve, from the residuals so far, relative to the one of x = 0: as many
/// as it takes at the present rate. Without progress: as many as have been made. At most `most`.
std::int64_t iterations_left(std::span<const double> residuals, double rtol, std::int64_t most);

}  // namespace ashlar
