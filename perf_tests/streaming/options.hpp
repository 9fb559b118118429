#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstdint>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

struct StreamingPerfOptions {
  /// "3x128": unknowns of a node, and nodes along each side.
  std::vector<std::string> cases = is_gpu_v<Exec>
                                       ? std::vector<std::string>{"1x128", "1x256", "3x128", "3x160", "6x96", "6x128"}
                                       : std::vector<std::string>{"1x32", "3x24", "6x16"};
  std::vector<int> subdivisions{2, 4, 8, 13, 21, 31, 41, 51, 61};
  std::vector<int> products{50};
  int buffers = 2;
  Taper taper = Taper::both;
  int samples = 3;
  bool serial = true;  ///< whether plain loops on one thread of the host are timed, too
  /// Of the matrix, for --experiments limit.
  std::vector<double> limits{0.5};
  /// That products and solves are with, for --experiments limit and block-cg.
  std::vector<int> num_vectors{1};
  std::vector<std::string> experiments{"paper"};
  /// Where --experiments file writes its file, and by how many threads that is read.
  std::string folder = ".";
  int readers = 8;
  int copies = 1;         ///< of the matrix, along the diagonal of that in the file
  bool from_disk = true;  ///< whether it is read from the disk, too, or from the system's cache only
  std::string json, commit = "unknown";
  std::string trace;  ///< a timeline of one pass of each case, hidden and not
};

}  // namespace ashlar::perf
