#pragma once

#include <cstdint>
#include <span>
#include <vector>

// How much of a system each of several ranks that are not alike should have, and whether it is worth dealing it anew.
// Plain arithmetic on what was measured: all ranks that are given the same numbers get the same bits.

namespace ashlar {

/// What a rank does in an iteration.
struct RankSpeed {
  double weight_per_second = 0;  ///< of its rows: blocks, non-zeros, whatever rows are weighed by; 0: it does none
  /// Of an iteration, whatever its rows are, as soon as others have some, too: messages, launches.
  double seconds_besides = 0;
};

/// The speed of a rank that was busy for `busy_seconds` of an iteration with this part of the weight: that is all of
/// the iteration but what it idled, waiting for others in the halo and in sums. What it does whatever its part is, it
/// was busy with, too: `seconds_besides`, but for half of the time at most, as that was measured by itself. Of no part,
/// or where it was not busy, nothing is known: speed 0.
///
/// Throws   ArgumentError where a number is negative or not finite.
RankSpeed speed_by_busy_time(double part, double busy_seconds, double seconds_besides = 0);

/// Parts of a system, and what they promise.
struct RankShares {
  std::vector<double> shares;  ///< of the weight, by rank; they add up to 1
  double seconds = 0;          ///< of an iteration
};

/// Shares with which all ranks that have some take as long. A rank has none where it would not get through anything in
/// the time that the others take without it; and one has all where that takes no longer than any sharing.
///
/// Throws   ArgumentError where the weight, a speed or a time is negative or no finite number, or no rank does
/// anything.
RankShares share_by_speed(double weight, std::span<const RankSpeed> speeds);

/// The same where some ranks compute on their hosts, beside others on devices: those have shares only where that
/// shortens an iteration by a tenth. By themselves devices exchange, sum and iterate in kernels of their own, which no
/// speed here tells; beside the host they do not.
///
/// on_host  not 0: by rank, who does
/// Throws   as share_by_speed(), and ArgumentError where there are not as many as speeds.
RankShares share_with_hosts(double weight, std::span<const RankSpeed> speeds, std::span<const int> on_host);

/// Seconds of an iteration on these parts of the weight, by the rank that takes longest.
///
/// Throws   ArgumentError where there are not as many as speeds, or one has a rank of speed 0.
double seconds_of_parts(std::span<const double> parts, std::span<const RankSpeed> speeds);

/// How many more iterations a solve is likely to make, with the residuals of those so far, relative to that of x = 0:
/// as many as it takes at the rate so far. Where it has not fallen, nobody knows: as many again. Not more than `most`.
std::int64_t iterations_left(std::span<const double> residuals, double rtol, std::int64_t most);

}  // namespace ashlar
