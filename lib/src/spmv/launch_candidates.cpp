#include <ashlar/spmv/impl/decide.hpp>
#include <ashlar/spmv/impl/with_kernel.hpp>

namespace ashlar::impl {

namespace {

bool is_same(const SpmvLaunch& a, const SpmvLaunch& b) {
  return a.kernel == b.kernel && a.grouping.width == b.grouping.width && a.tile.rows == b.tile.rows &&
         a.prefetch_bytes == b.prefetch_bytes;
}

}  // namespace

std::vector<LaunchRequest> launch_candidates(const SpmvShape& shape, const SpmvDevice& device) {
  const SpmvLaunch model = choose_launch(shape, device, {});
  std::vector<LaunchRequest> candidates{{}};
  for (const Kernel kernel : all_kernels()) {
    const SpmvLaunch of_kernel = serves(kernel, shape, 0) ? choose_launch(shape, device, {kernel}) : SpmvLaunch();
    if (of_kernel.kernel != kernel) continue;  // nor where another stands in for it
    const auto requests = with_kernel(kernel, [&](auto k) {
      return device.is_gpu ? k.candidates(shape, device, of_kernel) : k.candidates_on_cpu(shape);
    });
    for (const LaunchRequest& request : requests) {
      if (!is_same(choose_launch(shape, device, request), model)) candidates.push_back(request);
    }
  }
  return candidates;
}

}  // namespace ashlar::impl
