#pragma once

#include <ashlar/device/impl/gpu_runtime.hpp>
#include <utility>

namespace ashlar::impl {

/// What tells an execution-space instance from others, to be kept and compared with ==. Of a GPU its stream, which is
/// the same whoever has wrapped it, and is not kept alive.
template <class Exec>
auto instance_key(const Exec& exec) {
  return exec;
}

#ifdef ASHLAR_HAS_GPU_RUNTIME
inline auto instance_key(const gpu::Exec& exec) { return std::pair(gpu::device_of(exec), gpu::stream_of(exec)); }
#endif

}  // namespace ashlar::impl
