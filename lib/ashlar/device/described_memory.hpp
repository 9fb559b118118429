#pragma once

#include <ashlar/host/file_descriptor.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar {

/// Memory of a device that a file descriptor stands for, by which other processes of the host map it: what
/// ShareableMemory is by a handle, by CUDA's virtual memory management. CUDA alone: HIP has it from a version on that
/// no test here has seen.
///
/// Memory   in whole pages of the device, of 2 MiB. It lasts until all processes that have mapped it have let it go.
/// Async    the constructor that allocates, and the destructor, wait for the device that was current.
/// Throws   Error naming the call that failed, or that this build has no CUDA.
class DescribedMemory {
 public:
  /// Of the current device; zeros at first. So many bytes() or more.
  explicit DescribedMemory(std::size_t bytes);
  /// What another process's descriptor() stands for, of its bytes(), for kernels of the current device.
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

  // What there is so far, as the destructor has to know it: numbers of the driver; 0: none.
  std::size_t bytes_ = 0;
  int device_ = 0;
  unsigned long long allocation_ = 0, address_ = 0;
  bool is_mapped_ = false;
};

}  // namespace ashlar
