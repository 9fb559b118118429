#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/memory/shareable_memory.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda.h>

#include <ashlar/device/runtime/cuda_check.hpp>
#include <ashlar/device/runtime/impl/cuda_runtime.hpp>
#include <iostream>
#endif

#ifdef KOKKOS_ENABLE_CUDA

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
                "share memory by another method");
  }
  /// The same for destructors.
  void report(CUresult code, const char* call) const noexcept {
    if (code != CUDA_SUCCESS) std::cerr << "ashlar: " << call << " failed with " << name_of(code) << '\n';
  }
};

}  // namespace ashlar::impl

#endif

namespace ashlar {

#ifdef KOKKOS_ENABLE_CUDA

namespace {

namespace gpu = impl::gpu;
using impl::MemoryDriver;

constexpr auto by_descriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

CUmemAllocationProp memory_of(int device) {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.requestedHandleTypes = by_descriptor;
  wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  return wanted;
}

}  // namespace

// (Both constructors begin with the one of nothing: from there on the destructor gives back what there is.)

DescribedMemory::DescribedMemory(std::size_t bytes) : DescribedMemory() {
  const MemoryDriver& driver = MemoryDriver::get();
  device_ = gpu::current_device();
  const CUmemAllocationProp wanted = memory_of(device_);
  std::size_t page = 0;
  driver.check(driver.granularity(&page, &wanted, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
               "cuMemGetAllocationGranularity");
  bytes_ = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
  driver.check(driver.create(&allocation_, bytes_, &wanted, 0), "cuMemCreate");
  map();
  impl::cuda_check(cudaMemset(data(), 0, bytes_), "cudaMemset");
  impl::cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

DescribedMemory::DescribedMemory(const FileDescriptor& descriptor, std::size_t bytes) : DescribedMemory() {
  const MemoryDriver& driver = MemoryDriver::get();
  device_ = gpu::current_device();
  bytes_ = bytes;
  // The number itself, as a pointer.
  auto* const number = reinterpret_cast<void*>(static_cast<std::uintptr_t>(descriptor.get()));
  driver.check(driver.import_from(&allocation_, number, by_descriptor), "cuMemImportFromShareableHandle");
  map();
}

void DescribedMemory::map() {
  const MemoryDriver& driver = MemoryDriver::get();
  driver.check(driver.reserve(&address_, bytes_, 0, 0, 0), "cuMemAddressReserve");
  driver.check(driver.map(address_, bytes_, 0, allocation_, 0), "cuMemMap");
  is_mapped_ = true;
  CUmemAccessDesc access{};
  access.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_};
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  driver.check(driver.set_access(address_, bytes_, &access, 1), "cuMemSetAccess");
}

DescribedMemory::~DescribedMemory() {
  if (allocation_ == 0) return;  // nor anything of what comes after it
  const MemoryDriver& driver = MemoryDriver::get();
  if (is_mapped_) {
    // As cudaFree does, and cuMemUnmap does not.
    int current = 0;
    impl::cuda_report(cudaGetDevice(&current), "cudaGetDevice");
    impl::cuda_report(cudaSetDevice(device_), "cudaSetDevice");
    impl::cuda_report(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    impl::cuda_report(cudaSetDevice(current), "cudaSetDevice");
    driver.report(driver.unmap(address_, bytes_), "cuMemUnmap");
  }
  if (address_ != 0) driver.report(driver.free_address(address_, bytes_), "cuMemAddressFree");
  driver.report(driver.release(allocation_), "cuMemRelease");
}

FileDescriptor DescribedMemory::descriptor() const {
  const MemoryDriver& driver = MemoryDriver::get();
  int number = -1;
  driver.check(driver.export_to(&number, allocation_, by_descriptor, 0), "cuMemExportToShareableHandle");
  return FileDescriptor(number);
}

#else

namespace {

[[noreturn]] void refuse_descriptors() {
  throw Error("device: memory behind a file descriptor", "this build has no CUDA", "share memory by another method");
}

}  // namespace

DescribedMemory::DescribedMemory(std::size_t) { refuse_descriptors(); }
DescribedMemory::DescribedMemory(const FileDescriptor&, std::size_t) { refuse_descriptors(); }
DescribedMemory::~DescribedMemory() = default;
FileDescriptor DescribedMemory::descriptor() const { return {}; }

#endif

}  // namespace ashlar
