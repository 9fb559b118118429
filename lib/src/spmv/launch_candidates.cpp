#include <algorithm>
#include <ashlar/spmv/impl/decide.hpp>
#include <ashlar/spmv/impl/launch_widths.hpp>
#include <ashlar/spmv/impl/prefetch.hpp>

namespace ashlar::impl {

namespace {

/// How far from the cost model's width a width may be, in either direction.
int most_times_model(Kernel kernel) { return kernel == Kernel::by_line ? 2 : 4; }

bool is_same(const SpmvLaunch& a, const SpmvLaunch& b) {
  return a.kernel == b.kernel && a.grouping.width == b.grouping.width && a.tile.rows == b.tile.rows &&
         a.prefetch_bytes == b.prefetch_bytes;
}

/// The widths around the cost model's at which at most half of the lanes are idle.
std::vector<LaunchRequest> by_width(Kernel kernel, const SpmvShape& shape, const SpmvDevice& device, int model) {
  std::vector<LaunchRequest> requests;
  for (const int width : widths_of(shape, device)) {
    if (width * most_times_model(kernel) < model || width > model * most_times_model(kernel)) continue;
    if (width > widest(kernel, shape) || 2 * busy_lanes_of(kernel, shape, width) < width) continue;
    requests.push_back({kernel, width, 0});
  }
  return requests;
}

/// On a CPU one thread plays all lanes: how many they are changes little. How far ahead values are asked for may change
/// much, and which way depends on the machine.
std::vector<LaunchRequest> on_cpu(Kernel kernel, const SpmvShape& shape) {
  const int b = compiled_size_of(kernel, shape, false);
  if (kernel != Kernel::block_row_per_thread || !can_prefetch(b, shape.in_order)) return {{kernel}};
  return {{kernel, 0, 0, 0}, {kernel, 0, 0, first_cache_prefetch_bytes}, {kernel, 0, 0, second_cache_prefetch_bytes}};
}

std::vector<LaunchRequest> requests_of(Kernel kernel, const SpmvShape& shape, const SpmvDevice& device) {
  const SpmvLaunch model = choose_launch(shape, device, {kernel});
  if (!device.is_gpu) return on_cpu(kernel, shape);
  std::vector<LaunchRequest> requests;
  switch (kernel) {
    case Kernel::by_block:
    case Kernel::by_column:
    case Kernel::by_line:
      return by_width(kernel, shape, device, model.grouping.width);
    case Kernel::by_tile:
      for (int rows = std::max(1, model.tile.rows / 4); rows <= std::min(lanes_of_tile, 4 * model.tile.rows);
           rows *= 2) {
        requests.push_back({kernel, 0, rows});
      }
      return requests;
    case Kernel::row_per_thread:
      for (int width = std::max(1, model.grouping.width / 4); width <= std::min(device.warp, 2 * model.grouping.width);
           width *= 2) {
        requests.push_back({kernel, width, 0});
      }
      return requests;
    case Kernel::block_row_per_thread:
      // Its neighbouring threads read far apart: hopeless but for the smallest blocks.
      if (shape.block_shape.num_values() <= 4) requests.push_back({kernel, 0, 0});
      return requests;
    case Kernel::tensor_core:  // not of one vector
    case Kernel::automatic:
      break;
  }
  return requests;
}

}  // namespace

std::vector<LaunchRequest> launch_candidates(const SpmvShape& shape, const SpmvDevice& device) {
  const SpmvLaunch model = choose_launch(shape, device, {});
  std::vector<LaunchRequest> candidates{{}};
  for (const Kernel kernel : {Kernel::by_block, Kernel::by_column, Kernel::by_line, Kernel::by_tile,
                              Kernel::row_per_thread, Kernel::block_row_per_thread}) {
    if (!serves(kernel, shape, 0)) continue;
    for (const LaunchRequest& request : requests_of(kernel, shape, device)) {
      const SpmvLaunch launch = choose_launch(shape, device, request);
      if (!is_same(launch, model)) candidates.push_back(request);
    }
  }
  return candidates;
}

}  // namespace ashlar::impl
