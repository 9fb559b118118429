#pragma once

#include <functional>
#include <vector>

namespace ashlar::impl {

/// How a tournament ended.
struct TournamentResult {
  int winner = 0;
  double noise = 0;             ///< seconds by which another had to beat candidate 0
  std::vector<double> seconds;  ///< of each candidate: the median of the last heat that it was in
};

/// Finds the fastest of some candidates by measuring; `sample(i)` runs candidate i for a while and returns the seconds
/// of one run. Candidates are sampled in turn, round after round, so that what slows the machine for a while slows
/// them all.
///
/// The first heat sorts out what is clearly slow, the second finds a challenger among the best, and the third has it
/// meet candidate 0 alone, with samples of its own: the least of many medians would be too good to be true. The
/// challenger wins where its median there is less by more than the noise: the wider of the two interquartile ranges,
/// and a hundredth at least.
TournamentResult tournament(int num_candidates, const std::function<double(int)>& sample);

}  // namespace ashlar::impl
