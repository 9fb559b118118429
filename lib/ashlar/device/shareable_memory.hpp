#pragma once

#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/impl/gpu_runtime.hpp>
#include <cstddef>

namespace ashlar {

/// By what another process of the host opens memory of a device.
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

}  // namespace ashlar
