#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#ifdef KOKKOS_ENABLE_CUDA
#include <ashlar/device/runtime/cuda_check.hpp>
#include <ashlar/device/teams/virtual_team.hpp>
#endif

// Kernels whose teams want more scratch memory than Kokkos gives on NVIDIA GPUs, which is 48 KiB, while most have two
// to four times as much.

namespace ashlar {

/// Bytes of scratch memory that teams may be made for, where a device has no less than is usual: from compute
/// capability 8.0 on, or on AMD GPUs, of whose 64 KiB Kokkos wants some. Any number on hosts.
template <execution_space Exec>
inline constexpr std::int64_t usual_wide_scratch = std::numeric_limits<int>::max();
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr std::int64_t usual_wide_scratch<Kokkos::Cuda> = 96 * 1024;
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
inline constexpr std::int64_t usual_wide_scratch<Kokkos::HIP> = 60 * 1024;
#endif

/// True if this device has the usual scratch memory.
template <execution_space Exec>
bool has_usual_wide_scratch([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (is_gpu_v<Exec>) {
    return std::int64_t(exec.cuda_device_prop().sharedMemPerBlockOptin) >= usual_wide_scratch<Exec>;
  }
#endif
  return true;
}

#ifdef KOKKOS_ENABLE_CUDA
namespace impl {
struct BlockBarrier {
  KOKKOS_INLINE_FUNCTION void operator()() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }
};

template <int Threads, int MinTeams, class Work>
__global__ void __launch_bounds__(Threads, MinTeams) wide_teams_kernel(const Work work) {
  extern __shared__ __align__(16) char wide_scratch[];
  work(VirtualTeam<Kokkos::Cuda, BlockBarrier>(int(blockIdx.x), int(threadIdx.x), wide_scratch, BlockBarrier{}));
}
}  // namespace impl
#endif

/// work(team) for each of `teams` teams: on GPUs of Threads threads, of which MinTeams are to be on a multiprocessor at
/// a time, on hosts of one, which does what all of them would. A team has `scratch_bytes` of scratch memory
/// (wide_scratch_of()), usual_wide_scratch at most.
///
/// Async    enqueued on `exec`; no fence, no allocation.
/// Throws   Error where the device has less scratch memory.
template <int Threads, int MinTeams, execution_space Exec, class Work>
void for_wide_teams(const std::string& label, const Exec& exec, int teams, std::size_t scratch_bytes,
                    const Work& work) {
  if (teams == 0) return;
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (is_gpu_v<Exec>) {
    std::uint64_t id = 0;
    const bool is_watched = Kokkos::Tools::profileLibraryLoaded();
    if (is_watched) Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &id);
    impl::cuda_check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    const auto kernel = impl::wide_teams_kernel<Threads, MinTeams, Work>;
    constexpr std::size_t without_asking = 48 * 1024;
    if (scratch_bytes > without_asking) {
      impl::cuda_check(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(scratch_bytes)),
          "cudaFuncSetAttribute");
    }
    kernel<<<teams, Threads, scratch_bytes, exec.cuda_stream()>>>(work);
    impl::cuda_check(cudaGetLastError(), label.c_str());
    if (is_watched) Kokkos::Tools::endParallelFor(id);
    return;
  }
#endif
  Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Threads, MinTeams>> policy(exec, teams, is_gpu_v<Exec> ? Threads : 1,
                                                                           1);
  policy.set_scratch_size(is_gpu_v<Exec> ? 0 : 1, Kokkos::PerTeam(scratch_bytes));
  Kokkos::parallel_for(label, policy, work);
}

/// A team's scratch memory, aligned to 16 bytes.
template <class Team>
KOKKOS_INLINE_FUNCTION void* wide_scratch_of(const Team& team, std::size_t scratch_bytes) {
  void* const begin =
      team.team_scratch(is_gpu_v<typename Team::execution_space> ? 0 : 1).get_shmem_aligned(scratch_bytes, 16);
#if defined(__CUDA_ARCH__)
  __builtin_assume(__isShared(begin));  // loads need no check of which memory they are from
#endif
  return begin;
}

/// function(lane) for each of the Threads threads of a team: on hosts its one thread runs them one after another.
template <int Threads, class Team, class Function>
KOKKOS_INLINE_FUNCTION void for_lanes(const Team& team, const Function& function) {
  KOKKOS_IF_ON_DEVICE((function(team.team_rank());))
  KOKKOS_IF_ON_HOST((static_cast<void>(team); for (int lane = 0; lane < Threads; ++lane) function(lane);))
}

/// A lane's private storage: on hosts one thread holds the storage of all lanes.
template <class Value, int Threads, execution_space Exec>
class OfLanes {
 public:
  KOKKOS_INLINE_FUNCTION Value& operator[]([[maybe_unused]] int lane) {
    if constexpr (is_gpu_v<Exec>) {
      return values_[0];
    } else {
      return values_[lane];
    }
  }

 private:
  Value values_[is_gpu_v<Exec> ? 1 : Threads];
};

}  // namespace ashlar
