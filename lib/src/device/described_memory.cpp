#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/device/described_memory.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/device/impl/cuda_runtime.hpp>

#include "cuda/memory_driver.hpp"
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
  throw Error("device: memory behind a file descriptor", "this build has no CUDA", "share memory in another way");
}

}  // namespace

DescribedMemory::DescribedMemory(std::size_t) { refuse_descriptors(); }
DescribedMemory::DescribedMemory(const FileDescriptor&, std::size_t) { refuse_descriptors(); }
DescribedMemory::~DescribedMemory() = default;
FileDescriptor DescribedMemory::descriptor() const { return {}; }

#endif

}  // namespace ashlar
