#pragma once

#include <cuda.h>
#include <ashlar/device/cuda_check.hpp>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <iostream>

namespace ashlar::impl {

/// A function of CUDA's driver, of that type: the runtime finds it, so that nothing is linked with the driver.
///
/// Throws   Error where the driver has none of this name.
template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  cuda_check(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result),
             "cudaGetDriverEntryPointByVersion");
#else
  cuda_check(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result), "cudaGetDriverEntryPoint");
#endif
  if (result != cudaDriverEntryPointSuccess || found == nullptr) {
    throw Error(text("device: CUDA's driver has no ", name), "it may be older than the runtime", "update the driver");
  }
  return reinterpret_cast<Function>(found);
}

/// The driver's calls that map memory.
struct MemoryDriver {
  decltype(&cuGetErrorName) error_name = driver_function<decltype(&cuGetErrorName)>("cuGetErrorName");
  decltype(&cuMemGetAllocationGranularity) granularity =
      driver_function<decltype(&cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity");
  decltype(&cuMemCreate) create = driver_function<decltype(&cuMemCreate)>("cuMemCreate");
  decltype(&cuMemRelease) release = driver_function<decltype(&cuMemRelease)>("cuMemRelease");
  decltype(&cuMemExportToShareableHandle) export_to =
      driver_function<decltype(&cuMemExportToShareableHandle)>("cuMemExportToShareableHandle");
  decltype(&cuMemImportFromShareableHandle) import_from =
      driver_function<decltype(&cuMemImportFromShareableHandle)>("cuMemImportFromShareableHandle");
  decltype(&cuMemAddressReserve) reserve = driver_function<decltype(&cuMemAddressReserve)>("cuMemAddressReserve");
  decltype(&cuMemAddressFree) free_address = driver_function<decltype(&cuMemAddressFree)>("cuMemAddressFree");
  decltype(&cuMemMap) map = driver_function<decltype(&cuMemMap)>("cuMemMap");
  decltype(&cuMemUnmap) unmap = driver_function<decltype(&cuMemUnmap)>("cuMemUnmap");
  decltype(&cuMemSetAccess) set_access = driver_function<decltype(&cuMemSetAccess)>("cuMemSetAccess");

  /// Throws   Error where the driver lacks one of them.
  static const MemoryDriver& get() {
    static const MemoryDriver driver;
    return driver;
  }

  const char* name_of(CUresult code) const {
    const char* name = nullptr;
    return error_name(code, &name) == CUDA_SUCCESS && name != nullptr ? name : "an unknown error";
  }
  /// Throws   Error where the call failed.
  void check(CUresult code, const char* call) const {
    if (code == CUDA_SUCCESS) return;
    throw Error(text(call, " failed with ", name_of(code)), "memory of a device behind a file descriptor",
                "share memory in another way");
  }
  /// The same for destructors.
  void report(CUresult code, const char* call) const noexcept {
    if (code != CUDA_SUCCESS) std::cerr << "ashlar: " << call << " failed with " << name_of(code) << '\n';
  }
};

}  // namespace ashlar::impl
