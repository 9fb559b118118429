#pragma once

#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/runtime/impl/gpu_runtime.hpp>
#include <ashlar/host/file_descriptor.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar {

/// The handle by which another process of the host opens memory of a device.
using SharedMemoryHandle = std::array<char, 64>;

/// Memory of the current device that other processes of the host may open: CUDA and HIP. Zeros at first.
///
/// Move-only in effect: neither copied nor moved. Free it when nobody has it open any more.
/// Throws   Error naming the call that failed, or that this build has no device.
class ShareableMemory {
 public:
  explicit ShareableMemory(std::size_t bytes);
  ~ShareableMemory();
  ShareableMemory(const ShareableMemory&) = delete;
  ShareableMemory& operator=(const ShareableMemory&) = delete;

  void* data() const { return data_; }
  SharedMemoryHandle handle() const;

 private:
  void* data_;
};

/// Memory that another process has made, of this or another device of the host, open to this one and its current
/// device.
class OpenedMemory {
 public:
  explicit OpenedMemory(const SharedMemoryHandle& handle);
  ~OpenedMemory();
  OpenedMemory(const OpenedMemory&) = delete;
  OpenedMemory& operator=(const OpenedMemory&) = delete;

  void* data() const { return data_; }

 private:
  void* data_;
};

/// The device of `exec` is the calling thread's from here on; nothing where it is the host.
template <execution_space Exec>
void make_current([[maybe_unused]] const Exec& exec) {
#ifdef ASHLAR_HAS_GPU_RUNTIME
  if constexpr (is_gpu_v<Exec>) impl::gpu::set_device(impl::gpu::device_of(exec));
#endif
}

/// Memory of a device that a file descriptor stands for, by which other processes of the host map it: what
/// ShareableMemory is by a handle, by CUDA's virtual memory management. CUDA alone: HIP has it from a version on that
/// no test here has seen.
///
/// Memory   in whole pages of the device, of 2 MiB. It lasts until all processes that have mapped it have let it go.
/// Async    the constructor that allocates, and the destructor, wait for the device that was current.
/// Throws   Error naming the call that failed, or that this build has no CUDA.
class DescribedMemory {
 public:
  /// Allocates bytes() or more of the current device, filled with zeros.
  explicit DescribedMemory(std::size_t bytes);
  /// Maps the memory of another process, given its descriptor() and bytes(), for kernels of the current device.
  DescribedMemory(const FileDescriptor& descriptor, std::size_t bytes);
  ~DescribedMemory();
  DescribedMemory(const DescribedMemory&) = delete;
  DescribedMemory& operator=(const DescribedMemory&) = delete;

  void* data() const { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address_)); }
  std::size_t bytes() const { return bytes_; }
  /// A new one at each call, which may be closed when the others have mapped it.
  FileDescriptor descriptor() const;

 private:
  DescribedMemory() = default;
  void map();

  // The state that the destructor releases: numbers of the driver; 0 means none.
  std::size_t bytes_ = 0;
  int device_ = 0;
  unsigned long long allocation_ = 0, address_ = 0;
  bool is_mapped_ = false;
};

}  // namespace ashlar
