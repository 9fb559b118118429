#include <ashlar/base/text.hpp>
#include <ashlar/spmv/impl/choose_launch.hpp>
#include <ashlar/spmv/impl/fallback_launch.hpp>
#include <string>

namespace ashlar::impl {

SpmvLaunch fallback_launch(const SpmvLaunch& launch, const BlockShape& block_shape, bool is_gpu, int warp) {
  SpmvShape shape;
  shape.block_shape = block_shape;
  SpmvDevice device;
  device.is_gpu = is_gpu;
  device.warp = warp;
  SpmvLaunch result = choose_launch(shape, device, {Kernel::row_per_thread});
  result.longest_row = launch.longest_row;
  result.label = launch.label;
  const std::string name = text("[", to_string(launch.kernel), ",");
  if (const auto at = result.label.find(name); at != std::string::npos) {
    result.label.replace(at, name.size(), text("[", to_string(result.kernel), ","));
  }
  return result;
}

}  // namespace ashlar::impl
