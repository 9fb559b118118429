#pragma once

#include <ashlar/device/probes/device_properties.hpp>
#include <string>
#include <vector>

namespace ashlar::app {

/// The device that the kernels run on, and the build of the command.
struct Device {
  std::string backend;  ///< "OpenMP", "Cuda"
  std::string name;     ///< of the processor
  int concurrency = 0;  ///< threads that run in parallel
};

/// "OpenMP, Intel Xeon, 96 threads in parallel".
std::string device_text(const Device& device);

/// What an instance computes on.
template <class Exec>
Device device_of(const Exec& exec) {
  return {Exec::name(), device_name(exec), exec.concurrency()};
}
/// The device of this build; Kokkos must be initialised.
Device this_device();
/// The host's processor, with the threads of the host's backend.
Device this_host();
/// The backends that Kokkos was built with.
std::vector<std::string> backends();
/// How many devices Kokkos could take one of, also before it has started; 0 where the host is the device.
int num_devices();
/// Throws ArgumentError where the build is for GPUs, and there is none or no driver.
void require_device();

std::string kokkos_version();
std::string compiler_version();

}  // namespace ashlar::app
