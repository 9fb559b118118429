#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <ashlar/device/runtime/cuda_check.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

// The calls of the CUDA runtime that the library makes, under the names that hip_runtime.hpp has as well. Each throws
// Error where it fails, except those that destroy, which report.

namespace ashlar::impl::gpu {

using Exec = Kokkos::Cuda;
using Stream = cudaStream_t;
using EventHandle = cudaEvent_t;
using GraphExec = cudaGraphExec_t;

inline constexpr unsigned timed_event = cudaEventDefault, event_without_time = cudaEventDisableTiming,
                          threads_sleep = cudaEventBlockingSync;

inline Stream stream_of(const Exec& exec) { return exec.cuda_stream(); }
inline int device_of(const Exec& exec) { return exec.cuda_device(); }

/// The legacy stream waits for all others.
inline bool is_legacy(Stream stream) { return stream == nullptr || stream == cudaStreamLegacy; }

inline int current_device() {
  int device = 0;
  cuda_check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}
inline void set_device(int device) { cuda_check(cudaSetDevice(device), "cudaSetDevice"); }
/// The device's identifier in all processes of the host.
inline std::string bus_id_of_current_device() {
  char id[32] = {};
  cuda_check(cudaDeviceGetPCIBusId(id, sizeof(id), current_device()), "cudaDeviceGetPCIBusId");
  return id;
}

/// A stream on the current device: its kernels come before the kernels of other streams, and it waits for none of them.
inline Stream create_priority_stream() {
  int least = 0, greatest = 0;
  cuda_check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  Stream stream = nullptr;
  cuda_check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest), "cudaStreamCreateWithPriority");
  return stream;
}
inline void destroy_stream(Stream stream) noexcept { cuda_report(cudaStreamDestroy(stream), "cudaStreamDestroy"); }

inline EventHandle create_event(unsigned flags) {
  EventHandle event = nullptr;
  cuda_check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return event;
}
inline void destroy_event(EventHandle event) noexcept { cuda_report(cudaEventDestroy(event), "cudaEventDestroy"); }
inline void record_event(EventHandle event, Stream stream) {
  cuda_check(cudaEventRecord(event, stream), "cudaEventRecord");
}
inline void wait_for_event(Stream stream, EventHandle event) {
  cuda_check(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
}
inline void synchronize_event(EventHandle event) { cuda_check(cudaEventSynchronize(event), "cudaEventSynchronize"); }
inline double seconds_between(EventHandle earlier, EventHandle later) {
  float milliseconds = 0;
  cuda_check(cudaEventElapsedTime(&milliseconds, earlier, later), "cudaEventElapsedTime");
  return 1e-3 * double(milliseconds);
}

/// Relaxed: for a team policy Kokkos asks for 0 bytes of scratch memory at each launch, which the stricter modes take
/// for an allocation.
inline void begin_capture(Stream stream) {
  cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
}
/// Ends a capture that failed, and drops the work captured so far.
inline void abandon_capture(Stream stream) noexcept {
  cudaGraph_t graph = nullptr;
  static_cast<void>(cudaStreamEndCapture(stream, &graph));
  if (graph != nullptr) cuda_report(cudaGraphDestroy(graph), "cudaGraphDestroy");
}
/// The captured work, ready to be launched.
inline GraphExec end_capture(Stream stream) {
  cudaGraph_t graph = nullptr;
  cuda_check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  GraphExec instance = nullptr;
  const cudaError_t made = cudaGraphInstantiate(&instance, graph, 0);
  cuda_report(cudaGraphDestroy(graph), "cudaGraphDestroy");
  cuda_check(made, "cudaGraphInstantiate");
  return instance;
}
inline void launch_graph(GraphExec graph, Stream stream) {
  cuda_check(cudaGraphLaunch(graph, stream), "cudaGraphLaunch");
}
inline void destroy_graph(GraphExec graph) noexcept {
  cuda_report(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
}

/// Memory of the current device that other processes of the host may open: from the driver itself, as handles are of
/// whole allocations.
using SharedHandle = cudaIpcMemHandle_t;

inline void* allocate_zeros(std::size_t bytes) {
  void* memory = nullptr;
  cuda_check(cudaMalloc(&memory, bytes), "cudaMalloc");
  cuda_check(cudaMemset(memory, 0, bytes), "cudaMemset");
  cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return memory;
}
inline void free_memory(void* memory) noexcept { cuda_report(cudaFree(memory), "cudaFree"); }
inline SharedHandle share(void* memory) {
  SharedHandle handle;
  cuda_check(cudaIpcGetMemHandle(&handle, memory), "cudaIpcGetMemHandle");
  return handle;
}
inline void* open_shared(const SharedHandle& handle) {
  void* memory = nullptr;
  cuda_check(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
  return memory;
}
inline void close_shared(void* memory) noexcept { cuda_report(cudaIpcCloseMemHandle(memory), "cudaIpcCloseMemHandle"); }

/// The memory of the current device.
inline void memory_amount(std::size_t& available, std::size_t& total) {
  cuda_check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
}
inline std::string device_name(const Exec& exec) { return exec.cuda_device_prop().name; }
/// Where loads can tell the last cache what to keep: from compute capability 8.0 on.
inline std::int64_t cache_bytes(const Exec& exec) {
  const auto& device = exec.cuda_device_prop();
  return device.major >= 8 ? device.l2CacheSize : 0;
}
inline std::int64_t scratch_bytes(const Exec& exec) {
  return static_cast<std::int64_t>(exec.cuda_device_prop().sharedMemPerMultiprocessor);
}

}  // namespace ashlar::impl::gpu
#endif
