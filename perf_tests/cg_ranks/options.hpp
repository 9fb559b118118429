#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::perf {

struct RanksOptions {
  /// RankSystem says what they are.
  std::vector<std::string> cases{"stencil11:64", "grid27x3:32"};
  std::vector<std::string> decompositions{"1d", "2d"};
  std::vector<std::string> halos{"whole", "packed"};
  std::vector<std::string> x_updates{"automatic"};
  /// Whether the halo travels under the product.
  std::vector<std::string> overlaps{"on"};
  /// Who sends the halo and waits for it.
  std::vector<std::string> exchanges{"auto"};
  /// How iterations reach the device.
  std::vector<std::string> launches{"automatic"};
  /// Whose CG, as far as they were found.
  std::vector<std::string> libraries{"ashlar", "nccl", "in_kernel"};
  int samples = 5;
  /// Of the two solves whose difference is timed.
  std::vector<int> iterations{20, 60};
  /// The last of each host compute there, beside devices; then only how both share is measured.
  int ranks_on_host = 0;
  /// How often rows are dealt anew by busy times then.
  int refinements = 3;
  /// Bytes that a rank's solve may take of its device's memory, which its rows are streamed to; 0: they lie there.
  std::uint64_t memory_limit = 0;
  /// Results of a run with one rank on one device, or on all cores of the host: what efficiencies are counted from.
  std::string whole;
  std::string json, commit = "unknown";
  /// Timelines of a few iterations of each form go here.
  std::string trace;
  int trace_iterations = 6;

  bool has_library(const std::string& name) const {
    return std::find(libraries.begin(), libraries.end(), name) != libraries.end();
  }
};

}  // namespace ashlar::perf
