#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <string>

namespace ashlar {

namespace impl {

/// The host's processor, as its operating system calls it; "unknown processor" where that does not say.
std::string processor_name();

/// Whether the host's processor is one of Intel's; asks the operating system once.
bool is_intel_processor();

/// The GPU of an instance, as its driver calls it. One file a backend.
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
    return impl::processor_name();
  }
}

}  // namespace ashlar
