#pragma once

#include <ashlar/distributed/rank_speed.hpp>
#include <ashlar/krylov/monitor.hpp>
#include <string>
#include <vector>

#include "solve/options.hpp"
#include "solve/row_source.hpp"
#include "solve/solve.hpp"
#include "solve/system.hpp"
#include "types.hpp"
#include "world.hpp"

namespace ashlar::app {

/// A system whose rows lie as its first iterations showed that they should, and what those have found of x.
template <class Exec>
struct Rebalanced {
  LinearSystem<Exec> system;
  Vector<Exec> x;                    ///< empty: the solve begins with 0
  std::vector<double> residuals;     ///< relative, after each iteration made
  std::vector<RankSpeed> speeds;     ///< of the ranks, as measured last
  std::vector<std::string> decided;  ///< for people: why rows were moved, or stay
  /// Of each rank, where some cost more than they do: the solve is to begin anew without those. Else none.
  std::vector<double> shares;
};

/// Makes a few iterations, from which the ranks' busy times tell their speeds anew, and deals the rows again where what
/// is likely left of the solve repays that; at most three times. What it costs is the time that dealing them took
/// before (`seconds_of_deal`). x goes along, and CG begins anew from there. Collective.
///
/// Throws   what make_rank_system() and solve() do.
template <class Exec>
Rebalanced<Exec> rebalance(const Exec& exec, const World& world, const SolveOptions& options,
                           const RowSource<Exec>& source, LinearSystem<Exec> system, std::vector<RankSpeed> speeds,
                           double seconds_of_deal, const Monitor& monitor);

}  // namespace ashlar::app
