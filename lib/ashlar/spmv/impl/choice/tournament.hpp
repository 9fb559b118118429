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
/// of one run. Candidates are sampled alternately, round after round, so that a disturbance of the machine slows them
/// all.
///
/// The first heat drops the clearly slow candidates, the second finds a challenger among the best, and the third
/// compares it with candidate 0 alone, with samples of its own: the least of many medians would be too good to be true.
/// The challenger wins if its median there is smaller by more than the noise: the wider of the two interquartile
/// ranges, and at least a hundredth.
TournamentResult tournament(int num_candidates, const std::function<double(int)>& sample);

}  // namespace ashlar::impl
