#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/host/processor_name.hpp>
#include <string>

namespace ashlar {

namespace impl {

/// The GPU of an instance, as its driver calls it.
std::string gpu_name(const Kokkos::DefaultExecutionSpace& exec);

}  // namespace impl

/// "NVIDIA H200", "AMD EPYC 9654 96-Core Processor": what `exec` runs on, for reports and for what is kept by device.
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

}  // namespace ashlar
