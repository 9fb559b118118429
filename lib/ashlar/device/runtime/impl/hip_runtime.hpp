#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_HIP
#include <hip/hip_runtime.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>

namespace ashlar::impl {

/// The one place where return codes of the HIP runtime are checked. Throws Error.
inline void hip_check(hipError_t code, const char* call) {
  if (code == hipSuccess) return;
  throw Error(text(call, " failed with ", hipGetErrorName(code)), hipGetErrorString(code),
              "an earlier kernel may be at fault: run with AMD_SERIALIZE_KERNEL=3 to find it");
}

/// The same for destructors, which do not throw: the message goes to standard error.
inline void hip_report(hipError_t code, const char* call) noexcept {
  if (code == hipSuccess) return;
  std::cerr << "ashlar: " << call << " failed with " << hipGetErrorName(code) << " (" << hipGetErrorString(code)
            << ")\n";
}

}  // namespace ashlar::impl
// The calls of the HIP runtime that the library makes, under the names that cuda_runtime.hpp has as well. Each throws
// Error where it fails, except those that destroy, which report.

namespace ashlar::impl::gpu {

using Exec = Kokkos::HIP;
using Stream = hipStream_t;
using EventHandle = hipEvent_t;
using GraphExec = hipGraphExec_t;

inline constexpr unsigned timed_event = hipEventDefault, event_without_time = hipEventDisableTiming,
                          threads_sleep = hipEventBlockingSync;

inline Stream stream_of(const Exec& exec) { return exec.hip_stream(); }
inline int device_of(const Exec& exec) { return exec.hip_device(); }

/// The null stream waits for all others.
inline bool is_legacy(Stream stream) { return stream == nullptr; }

inline int current_device() {
  int device = 0;
  hip_check(hipGetDevice(&device), "hipGetDevice");
  return device;
}
inline void set_device(int device) { hip_check(hipSetDevice(device), "hipSetDevice"); }
/// The device's identifier in all processes of the host.
inline std::string bus_id_of_current_device() {
  char id[32] = {};
  hip_check(hipDeviceGetPCIBusId(id, sizeof(id), current_device()), "hipDeviceGetPCIBusId");
  return id;
}

/// A stream on the current device: its kernels come before the kernels of other streams, and it waits for none of them.
inline Stream create_priority_stream() {
  int least = 0, greatest = 0;
  hip_check(hipDeviceGetStreamPriorityRange(&least, &greatest), "hipDeviceGetStreamPriorityRange");
  Stream stream = nullptr;
  hip_check(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, greatest), "hipStreamCreateWithPriority");
  return stream;
}
inline void destroy_stream(Stream stream) noexcept { hip_report(hipStreamDestroy(stream), "hipStreamDestroy"); }

inline EventHandle create_event(unsigned flags) {
  EventHandle event = nullptr;
  hip_check(hipEventCreateWithFlags(&event, flags), "hipEventCreateWithFlags");
  return event;
}
inline void destroy_event(EventHandle event) noexcept { hip_report(hipEventDestroy(event), "hipEventDestroy"); }
inline void record_event(EventHandle event, Stream stream) {
  hip_check(hipEventRecord(event, stream), "hipEventRecord");
}
inline void wait_for_event(Stream stream, EventHandle event) {
  hip_check(hipStreamWaitEvent(stream, event, 0), "hipStreamWaitEvent");
}
inline void synchronize_event(EventHandle event) { hip_check(hipEventSynchronize(event), "hipEventSynchronize"); }
inline double seconds_between(EventHandle earlier, EventHandle later) {
  float milliseconds = 0;
  hip_check(hipEventElapsedTime(&milliseconds, earlier, later), "hipEventElapsedTime");
  return 1e-3 * double(milliseconds);
}

/// Relaxed: for a team policy Kokkos asks for 0 bytes of scratch memory at each launch, which the stricter modes take
/// for an allocation.
inline void begin_capture(Stream stream) {
  hip_check(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), "hipStreamBeginCapture");
}
/// Ends a capture that failed, and drops the work captured so far.
inline void abandon_capture(Stream stream) noexcept {
  hipGraph_t graph = nullptr;
  static_cast<void>(hipStreamEndCapture(stream, &graph));
  if (graph != nullptr) hip_report(hipGraphDestroy(graph), "hipGraphDestroy");
}
/// The captured work, ready to be launched.
inline GraphExec end_capture(Stream stream) {
  hipGraph_t graph = nullptr;
  hip_check(hipStreamEndCapture(stream, &graph), "hipStreamEndCapture");
  GraphExec instance = nullptr;
  const hipError_t made = hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0);
  hip_report(hipGraphDestroy(graph), "hipGraphDestroy");
  hip_check(made, "hipGraphInstantiate");
  return instance;
}
inline void launch_graph(GraphExec graph, Stream stream) { hip_check(hipGraphLaunch(graph, stream), "hipGraphLaunch"); }
inline void destroy_graph(GraphExec graph) noexcept { hip_report(hipGraphExecDestroy(graph), "hipGraphExecDestroy"); }

using SharedHandle = hipIpcMemHandle_t;

inline void* allocate_zeros(std::size_t bytes) {
  void* memory = nullptr;
  hip_check(hipMalloc(&memory, bytes), "hipMalloc");
  hip_check(hipMemset(memory, 0, bytes), "hipMemset");
  hip_check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  return memory;
}
inline void free_memory(void* memory) noexcept { hip_report(hipFree(memory), "hipFree"); }
inline SharedHandle share(void* memory) {
  SharedHandle handle;
  hip_check(hipIpcGetMemHandle(&handle, memory), "hipIpcGetMemHandle");
  return handle;
}
inline void* open_shared(const SharedHandle& handle) {
  void* memory = nullptr;
  hip_check(hipIpcOpenMemHandle(&memory, handle, hipIpcMemLazyEnablePeerAccess), "hipIpcOpenMemHandle");
  return memory;
}
inline void close_shared(void* memory) noexcept { hip_report(hipIpcCloseMemHandle(memory), "hipIpcCloseMemHandle"); }

/// The memory of the current device.
inline void memory_amount(std::size_t& available, std::size_t& total) {
  hip_check(hipMemGetInfo(&available, &total), "hipMemGetInfo");
}
inline std::string device_name(const Exec& exec) { return exec.hip_device_prop().name; }
/// Which loads are non-temporal is part of the instruction: there is nothing to tell the cache.
inline std::int64_t cache_bytes(const Exec&) { return 0; }
inline std::int64_t scratch_bytes(const Exec& exec) {
  return static_cast<std::int64_t>(exec.hip_device_prop().maxSharedMemoryPerMultiProcessor);
}

}  // namespace ashlar::impl::gpu
#endif
