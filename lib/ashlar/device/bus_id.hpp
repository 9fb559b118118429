#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/impl/gpu_runtime.hpp>
#include <string>

namespace ashlar {

/// By what all processes of the host know the device of `exec`, "0000:1b:00.0"; "" where that is the host. The device
/// is the calling thread's from here on.
///
/// Throws   Error where the runtime does not tell.
template <execution_space Exec>
std::string bus_id([[maybe_unused]] const Exec& exec) {
#ifdef ASHLAR_HAS_GPU_RUNTIME
  if constexpr (is_gpu_v<Exec>) {
    impl::gpu::set_device(impl::gpu::device_of(exec));
    return impl::gpu::bus_id_of_current_device();
  }
#endif
  return {};
}

}  // namespace ashlar
