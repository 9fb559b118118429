#pragma once

#include <ashlar/base/concepts.hpp>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

struct Options {
  std::vector<std::string> suites{"grid"};
  std::vector<int> block_sizes;  ///< of the suites grid, small and irregular; empty: each suite's own
  std::vector<std::string> kernels{"auto"};
  std::vector<std::string> layouts{"column_major"};
  std::vector<std::string> modes{"no_transpose"};
  std::vector<std::string> types{"double"};
  std::vector<int> widths{0}, num_vectors{1, 2, 4, 8, 16, 32, 64};
  std::vector<std::string> libraries{"ashlar", "cusparse", "rocsparse", "kokkos_kernels", "mkl", "eigen"};
  int samples = 15;
  double bytes = is_gpu_v<Exec> ? 2.5e9 : 0.4e9;
  std::string matrices, json, tuning, commit = "unknown";
};

}  // namespace ashlar::perf
