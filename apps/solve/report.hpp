#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "device.hpp"
#include "solve/options.hpp"
#include "solve/progress.hpp"
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
  std::vector<std::string> decided = {};      ///< how rows were distributed, and why, if that was measured
  std::optional<double> seconds_on_one = {};  ///< of as many iterations by one rank, where they are known

  /// True if the matrix was streamed, by one rank or by some.
  bool is_streamed() const;
  /// For several ranks: whether one kernel of each made the iterations, how they exchanged, and where their time went.
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

/// A solve on one rank, from its report: what the efficiency of several is counted from.
struct OneRankRun {
  std::string path;
  double seconds_of_iteration = 0;
  std::int64_t num_rows = 0, num_blocks = 0;
  int block_size = 0;
  Device device;
};

/// Reads such a report.
///
/// Throws   FileError where it is none, or of several ranks, of a streamed matrix, of no iteration; or where that solve
///          was asked for another system, method or kernel than `options` do.
OneRankRun read_one_rank_run(const std::string& path, const SolveOptions& options);

/// Throws FileError where the run was of another system, or on a device that is not like this one.
void require_alike(const OneRankRun& run, const SystemAccount& system, const Device& device);

/// All options with the values used, as they stand in reports.
nlohmann::ordered_json options_json(const SolveOptions& options);

}  // namespace ashlar::app
