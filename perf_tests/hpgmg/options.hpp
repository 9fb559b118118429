#pragma once

#include <ashlar/base/concepts.hpp>
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
  std::vector<int> host_thresholds{0};
  std::vector<std::string> operators{"fv2", "fv4"}, smoothers{"gsrb"};
  /// What is measured in turns: the library's "default", that with boxes of coarse levels apart ("keep_boxes"), "plain"
  /// (kernel by kernel), "graphs", "one_kernel" (small levels), or "both" of these.
  std::vector<std::string> switches{"default"};
  multigrid::SweepForm sweeps = multigrid::SweepForm::automatic;
  /// Times what a level does by itself in each form of sweeps, and no cycles.
  bool forms_alone = false;
  /// Prints the times of the forms' kernels as well, for each shape of a team's work.
  bool shapes = false;
  int samples = 7;
  std::string json, commit = "unknown";
};

}  // namespace ashlar::perf
