#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/runtime/impl/gpu_runtime.hpp>
#include <ashlar/host/processors.hpp>
#include <cstdint>
#include <string>

namespace ashlar {

namespace impl {

/// The GPU of an instance, as its driver calls it.
std::string gpu_name(const Kokkos::DefaultExecutionSpace& exec);

}  // namespace impl

/// The name of the hardware that `exec` runs on, for reports and tuning tables: "NVIDIA H200", "AMD EPYC 9654 96-Core
/// Processor".
///
/// Async    none.
template <execution_space Exec>
std::string device_name([[maybe_unused]] const Exec& exec) {
  if constexpr (is_gpu_v<Exec>) {
    return impl::gpu_name(exec);
  } else {
    return processor_name();
  }
}

namespace impl {

/// As the driver of an instance's GPU has it.
std::int64_t gpu_scratch_bytes(const Kokkos::DefaultExecutionSpace& exec);

}  // namespace impl

/// Bytes of scratch memory of a GPU's multiprocessor, for all teams that run on it at a time; 0 of a CPU.
///
/// Async    none.
template <execution_space Exec>
std::int64_t device_scratch_bytes([[maybe_unused]] const Exec& exec) {
  if constexpr (is_gpu_v<Exec>) {
    return impl::gpu_scratch_bytes(exec);
  } else {
    return 0;
  }
}

/// The identifier of `exec`'s device in all processes of the host, "0000:1b:00.0"; "" if that is the host. The device
/// becomes the calling thread's current one.
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
