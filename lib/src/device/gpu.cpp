#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/device/memory/shareable_memory.hpp>
#include <ashlar/device/probes/device_properties.hpp>
#include <ashlar/device/runtime/impl/gpu_runtime.hpp>
#include <cstddef>
#include <cstring>

#ifdef ASHLAR_HAS_GPU_RUNTIME

namespace ashlar::impl {

std::string gpu_name(const Kokkos::DefaultExecutionSpace& exec) { return gpu::device_name(exec); }
std::int64_t gpu_cache_bytes(const Kokkos::DefaultExecutionSpace& exec) { return gpu::cache_bytes(exec); }
std::int64_t gpu_scratch_bytes(const Kokkos::DefaultExecutionSpace& exec) { return gpu::scratch_bytes(exec); }

MemoryAmount device_memory() {
  std::size_t available = 0, total = 0;
  gpu::memory_amount(available, total);
  return {total, available};
}

}  // namespace ashlar::impl

#endif

namespace ashlar {

#ifdef ASHLAR_HAS_GPU_RUNTIME

namespace gpu = impl::gpu;

static_assert(sizeof(gpu::SharedHandle) <= sizeof(SharedMemoryHandle));

ShareableMemory::ShareableMemory(std::size_t bytes) : data_(gpu::allocate_zeros(std::max<std::size_t>(bytes, 1))) {}
ShareableMemory::~ShareableMemory() { gpu::free_memory(data_); }
SharedMemoryHandle ShareableMemory::handle() const {
  const gpu::SharedHandle of_memory = gpu::share(data_);
  SharedMemoryHandle handle{};
  std::memcpy(handle.data(), &of_memory, sizeof of_memory);
  return handle;
}

OpenedMemory::OpenedMemory(const SharedMemoryHandle& handle) {
  gpu::SharedHandle of_memory;
  std::memcpy(&of_memory, handle.data(), sizeof of_memory);
  data_ = gpu::open_shared(of_memory);
}
OpenedMemory::~OpenedMemory() { gpu::close_shared(data_); }

#else

namespace {

[[noreturn]] void refuse() {
  throw Error("device: memory that processes share", "this build has neither CUDA nor HIP", "build it with one");
}

}  // namespace

ShareableMemory::ShareableMemory(std::size_t) : data_(nullptr) { refuse(); }
ShareableMemory::~ShareableMemory() = default;
SharedMemoryHandle ShareableMemory::handle() const { return {}; }
OpenedMemory::OpenedMemory(const SharedMemoryHandle&) : data_(nullptr) { refuse(); }
OpenedMemory::~OpenedMemory() = default;

#endif

}  // namespace ashlar
