#pragma once

#include <ashlar/halo/exchange_mode.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::perf {

struct HpgmgRanksOptions {
  std::vector<int> log2_boxes{4, 5, 6, 7};
  /// Cells of a box in each direction, instead of those where there are any.
  std::vector<int> box_dims;
  /// Over two ranks 8 boxes.
  int boxes_per_rank = 4;
  std::vector<std::string> operators{"fv4"};
  /// The first is what others are compared with.
  std::vector<std::string> exchanges{"blocking", "stream", "kernel"};
  std::vector<int> host_thresholds{0};
  /// Of a level but the finest, or it is on fewer ranks. None here: all levels are over all ranks, as in the paper.
  std::int64_t min_cells_per_rank = 0;
  /// Of the kernel mode: the longest message that goes as packets. None: what the library does by default.
  std::optional<std::int64_t> packet_bytes;
  bool hidden = false;  ///< what a residual hides of its exchange is measured, and no cycle
  int samples = 7;
  std::string json, commit = "unknown";
};

}  // namespace ashlar::perf
