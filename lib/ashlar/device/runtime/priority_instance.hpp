#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/runtime/impl/gpu_runtime.hpp>
#include <optional>

namespace ashlar {

/// An instance beside another one, on the same device: for messages that travel while products run. On a GPU its
/// kernels go first, or a product that fills the device would hold them up. Where kernels run on the host it is the
/// other one itself.
///
/// Memory   on a GPU a stream, made by the constructor and freed by the destructor; no copy of get() may live longer.
/// Async    the destructor does not wait for enqueued work.
template <execution_space Exec>
class PriorityInstance {
 public:
  explicit PriorityInstance(const Exec& beside) : exec_(beside) {}
  PriorityInstance(const PriorityInstance&) = delete;
  PriorityInstance& operator=(const PriorityInstance&) = delete;

  const Exec& get() const { return exec_; }
  /// cudaStream_t or hipStream_t; null where kernels run on the host.
  void* stream() const { return nullptr; }

 private:
  Exec exec_;
};

#ifdef ASHLAR_HAS_GPU_RUNTIME

template <>
class PriorityInstance<impl::gpu::Exec> {
 public:
  explicit PriorityInstance(const impl::gpu::Exec& beside) {
    impl::gpu::set_device(impl::gpu::device_of(beside));
    stream_ = impl::gpu::create_priority_stream();
    try {
      exec_.emplace(stream_);
    } catch (...) {
      impl::gpu::destroy_stream(stream_);
      throw;
    }
  }
  PriorityInstance(const PriorityInstance&) = delete;
  PriorityInstance& operator=(const PriorityInstance&) = delete;
  ~PriorityInstance() {
    exec_.reset();  // Kokkos' own memory of the instance is freed on its stream
    impl::gpu::destroy_stream(stream_);
  }

  const impl::gpu::Exec& get() const { return *exec_; }
  void* stream() const { return stream_; }

 private:
  impl::gpu::Stream stream_ = nullptr;
  std::optional<impl::gpu::Exec> exec_;
};

#endif

}  // namespace ashlar
