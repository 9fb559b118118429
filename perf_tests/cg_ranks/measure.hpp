#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <cg_ranks/system.hpp>
#include <optional>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// How small ||r|| / ||b|| becomes in solves that converge, which take no more iterations.
inline constexpr double rtol = 1e-8;
inline constexpr int most_iterations = 20000;

/// One way to solve over ranks.
struct RanksForm {
  DistributedOptions distributed;
  CgXUpdate x_update = CgXUpdate::automatic;
  CgLaunch launch = CgLaunch::automatic;

  /// "1d packed, x under_reduction"; what is automatic is not named
  std::string name() const;
};

/// What was measured of it; the same on all ranks.
struct RanksTimes {
  double us = 0;  ///< of an iteration, by the rank that takes longest
  /// Of an iteration on each rank: all but what it waits for others, in the halo and in sums, with nothing to do, as
  /// DistributedOptions::idle_clock tells it; that wait; and the same work while the other ranks rest.
  std::vector<double> busy_us, idle_us, alone_us;
  std::vector<double> blocks;    ///< that each rank has
  int iterations = 0;            ///< of a solve to rtol
  double relative_residual = 0;  ///< of its x, computed anew
  std::int64_t halo_bytes = 0;   ///< that come to all ranks for a product
  std::string exchange;          ///< the mode in use
  std::string launch;            ///< how iterations reached the device of rank 0
  std::string explain;           ///< of rank 0
  /// Whether one kernel of each rank made the iterations. What waits in there the host takes for busy, and idle_us
  /// tells nothing.
  bool iterates_in_kernel = false;
  /// Where other work on the machine hides the time: then of all this only the solve to rtol is known.
  std::optional<ArgumentError> no_time;
};

/// Measures one form on one system; collective.
///
/// First its product is checked against plain loops that share no code with it, and its solve must converge.
/// An iteration is the difference of two solves, of iterations[0] and iterations[1], over the iterations that they
/// differ by; medians of `samples`, which all ranks begin together.
///
/// Throws   on all ranks: NumericalError for a wrong product or a solve that does not converge.
template <class Exec>
RanksTimes measure(const Exec& exec, const Communicator& comm, const RankSystem<Exec>& system, const RanksForm& form,
                   int samples, const std::vector<int>& iterations);

}  // namespace ashlar::perf
