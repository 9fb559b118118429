#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "device.hpp"
#include "solve/kernel_iterations.hpp"
#include "solve/options.hpp"
#include "solve/phases.hpp"
#include "solve/rank_account.hpp"
#include "solve/rank_efficiency.hpp"
#include "solve/solve.hpp"
#include "solve/system.hpp"

namespace ashlar::app {

/// All that is told about a solve, on standard output and in the report.
struct Outcome {
  const SolveOptions& options;
  const SystemAccount system;
  const SolveAccount& solution;
  const Phases& phases;
  Device device;
  int threads = 1;  ///< of a CPU, that solved; on a GPU its concurrency
  std::optional<SolutionError> error;
  std::optional<double> read_bandwidth_gb_s;  ///< of the device, measured at start-up unless that was not wanted
  std::vector<RankAccount> ranks = {};        ///< where there are several
  std::vector<std::string> decided = {};      ///< how rows were dealt, and why, where that was measured
  std::optional<double> seconds_on_one = {};  ///< of as many iterations by one rank, where they are known

  /// Whether the matrix was streamed, by one rank or by some.
  bool is_streamed() const;
  /// Of several ranks: whether one kernel of each made the iterations, how they exchanged, and where their time went.
  bool iterates_in_kernels() const;
  ExchangeAccount exchange() const;
  RankEfficiency efficiency() const;
  double bandwidth_gb_s() const;
  std::optional<double> bandwidth_fraction() const;
};

/// The report as JSON; docs/reference/report.md says what its fields mean. Numbers that are not finite become null.
std::string report_json(const Outcome& outcome);

/// A few lines for people.
void print_summary(std::ostream& out, const Outcome& outcome);

/// The residual after each iteration.
void print_history(std::ostream& out, const SolveReport& report);

}  // namespace ashlar::app
