#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

struct HpgmgPerfOptions {
  /// Of the finest level, in each direction.
  std::vector<int> cells{is_gpu_v<Exec> ? 256 : 64};
  /// Into how many boxes it is cut: cubes of whole numbers.
  std::vector<int> boxes{1, 8, 64, 512, 4096};
  /// Levels of fewer cells run on the host; 0: none.
  std::vector<int> host_thresholds{int(multigrid::default_host_threshold)};
  std::vector<std::string> operators{"fv2", "fv4"}, smoothers{"gsrb"};
  int samples = 7;
  std::string json, commit = "unknown";
};

}  // namespace ashlar::perf
