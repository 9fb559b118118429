#include "device.hpp"

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/base/version.hpp>

#include "types.hpp"

namespace ashlar::app {

namespace {

/// The devices that the driver finds, or why it finds none. (Kokkos::num_devices() ends the program where there is no
/// driver.)
struct DevicesFound {
  int count = 0;
  std::string fault;
};

DevicesFound find_devices() {
  DevicesFound found;
#if defined(KOKKOS_ENABLE_CUDA)
  if (const cudaError_t error = cudaGetDeviceCount(&found.count); error != cudaSuccess) {
    found = {0, cudaGetErrorString(error)};
  }
#elif defined(KOKKOS_ENABLE_HIP)
  if (const hipError_t error = hipGetDeviceCount(&found.count); error != hipSuccess) {
    found = {0, hipGetErrorString(error)};
  }
#endif
  return found;
}

}  // namespace

std::string device_text(const Device& device) {
  return text(device.backend, ", ", device.name, ", ", count_text(device.concurrency, "thread"),
              device.concurrency == 1 ? "" : " in parallel");
}

Device this_device() { return device_of(Execution()); }

Device this_host() { return device_of(HostExecution()); }

std::vector<std::string> backends() {
  return {
#ifdef KOKKOS_ENABLE_CUDA
      "CUDA",
#endif
#ifdef KOKKOS_ENABLE_HIP
      "HIP",
#endif
#ifdef KOKKOS_ENABLE_OPENMP
      "OpenMP",
#endif
#ifdef KOKKOS_ENABLE_THREADS
      "Threads",
#endif
#ifdef KOKKOS_ENABLE_SERIAL
      "Serial",
#endif
  };
}

int num_devices() { return find_devices().count; }

void require_device() {
  if constexpr (is_gpu_v<Execution>) {
    const DevicesFound found = find_devices();
    if (found.count > 0) return;
    throw ArgumentError(text("there is no GPU for this build of ashlar, which is for ", Execution::name()),
                        found.fault.empty() ? "the driver finds none" : found.fault,
                        "run it where there is one, or build for CPUs");
  }
}

std::string kokkos_version() { return linked_kokkos_version(); }

std::string compiler_version() {
#if defined(__clang__)
  return text("clang ", __clang_major__, ".", __clang_minor__, ".", __clang_patchlevel__);
#elif defined(__CUDACC__)
  return text("nvcc ", __CUDACC_VER_MAJOR__, ".", __CUDACC_VER_MINOR__, " with GCC ", __GNUC__, ".", __GNUC_MINOR__);
#elif defined(__GNUC__)
  return text("GCC ", __GNUC__, ".", __GNUC_MINOR__, ".", __GNUC_PATCHLEVEL__);
#else
  return "unknown compiler";
#endif
}

}  // namespace ashlar::app
