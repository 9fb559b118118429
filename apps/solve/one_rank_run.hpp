#pragma once

#include <cstdint>
#include <string>

#include "device.hpp"
#include "solve/options.hpp"
#include "solve/system.hpp"

namespace ashlar::app {

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

}  // namespace ashlar::app
