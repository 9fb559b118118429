#pragma once

#include <ashlar/distributed/rank_speed.hpp>
#include <vector>

#include "solve/options.hpp"
#include "solve/row_source.hpp"
#include "world.hpp"

namespace ashlar::app {

/// How many blocks a second each rank multiplies, and what messages of halo and sums cost it in an iteration besides,
/// by rank: measured on an even share of the rows, which is made for that, by all ranks at once, as some share a
/// memory. Collective.
///
/// Throws   ArgumentError, on all ranks together, where a rank has no room for that share where it multiplies; what
///          make_rank_system() does.
template <class Exec>
std::vector<RankSpeed> measure_speeds(const Exec& exec, const World& world, const SolveOptions& options,
                                      const RowSource<Exec>& source);

}  // namespace ashlar::app
