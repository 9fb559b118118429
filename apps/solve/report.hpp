#pragma once

#include <ashlar/halo/halo_figures.hpp>
#include <ashlar/trace/parallel_efficiency.hpp>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "device.hpp"
#include "solve/options.hpp"
#include "solve/phases.hpp"
#include "solve/solve.hpp"
#include "solve/system.hpp"

namespace ashlar::app {

/// One of several ranks, and what it did in the solve.
struct RankAccount {
  std::string host, space, device;            ///< "OpenMP" is a space
  std::optional<double> read_bandwidth_gb_s;  ///< while the others measured theirs
  std::optional<double> nonzeros_per_second;  ///< by which rows were dealt
  std::int64_t num_block_rows = 0, num_blocks = 0;
  double busy_seconds = 0, waited_seconds = 0;  ///< waited for other ranks
  double idle_seconds = 0;                      ///< of that, with nothing to do meanwhile
  std::optional<double> alone_seconds;          ///< of the same work while the others rest
  std::uint64_t device_bytes = 0;               ///< of its rows, their halo and buffers, where it multiplies
  std::optional<std::uint64_t> sent_bytes;      ///< to there in a product, where it streams
  std::optional<double> hidden_share;           ///< where it did so to a device: StreamOverlap
  HaloFigures halo = {};                        ///< what it exchanged with others

  double idle_share() const {
    const double all = busy_seconds + waited_seconds;
    return all > 0 ? idle_seconds / all : 0;
  }
};

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
  std::optional<trace::ParallelEfficiency> efficiency = {};  ///< where one rank's time is known

  /// Whether the matrix was streamed, by one rank or by some.
  bool is_streamed() const;
  /// The part of the ranks' time in which they did not wait for others.
  double pipeline_efficiency() const;
  double bandwidth_gb_s() const;
  std::optional<double> bandwidth_fraction() const;
};

/// What of the efficiency is missing, where it is, and how to get it.
std::string how_to_get_efficiency(const Outcome& outcome);

/// The report as JSON; docs/command.md says what its fields mean. Numbers that are not finite become null.
std::string report_json(const Outcome& outcome);

/// A few lines for people.
void print_summary(std::ostream& out, const Outcome& outcome);

/// The residual after each iteration.
void print_history(std::ostream& out, const SolveReport& report);

}  // namespace ashlar::app
