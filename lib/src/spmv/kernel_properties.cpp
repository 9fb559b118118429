#include <ashlar/spmv/impl/kernel_properties.hpp>
#include <ashlar/spmv/impl/with_kernel.hpp>

namespace ashlar::impl {

bool has_single(Kernel kernel) {
  return with_kernel(kernel, [](auto k) { return k.has_single; });
}

bool has_multi(Kernel kernel) {
  return with_kernel(kernel, [](auto k) { return k.has_multi; });
}

bool has_lanes(Kernel kernel) {
  return with_kernel(kernel, [](auto k) { return k.has_lanes; });
}

int bytes_of_load(Kernel kernel, const BlockShape& shape, int value_bytes) {
  return with_kernel(kernel, [&](auto k) { return k.bytes_of_load(shape, value_bytes); });
}

std::string describe(const SpmvLaunch& launch) {
  return with_kernel(launch.kernel, [&](auto k) { return k.describe(launch); });
}

}  // namespace ashlar::impl
