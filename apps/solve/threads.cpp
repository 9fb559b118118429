#include "solve/threads.hpp"

#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/processors.hpp>

namespace ashlar::app {

namespace {

/// Only OpenMP makes instances with a number of threads of their own.
template <class Exec>
constexpr bool has_threads = false;
template <class Exec>
Exec instance_of([[maybe_unused]] int threads) {
  return Exec();
}

#ifdef KOKKOS_ENABLE_OPENMP
template <>
constexpr bool has_threads<Kokkos::OpenMP> = true;
template <>
Kokkos::OpenMP instance_of<Kokkos::OpenMP>(int threads) {
  return Kokkos::OpenMP(threads);
}
#endif

}  // namespace

template <class Exec>
Exec instance_of_threads(std::optional<int> asked) {
  const Exec all;
  if (!asked) return all;
  if (!has_threads<Exec>) {
    throw ArgumentError(text("--threads ", *asked), text("this build computes with ", Exec::name()), "leave it out");
  }
  if (*asked > all.concurrency()) {
    throw ArgumentError(text("--threads ", *asked), text("this process has ", count_text(all.concurrency(), "thread")),
                        "ask for fewer, or give it more by OMP_NUM_THREADS");
  }
  return *asked == all.concurrency() ? all : instance_of<Exec>(*asked);
}

ProcessorsShared processors_of_rank(const Communicator& comm, bool on_host) {
  struct Its {
    std::array<std::uint64_t, 16> processors;
    bool on_host;
  };
  const Communicator here = comm.split_by_host();
  const Processors processors = Processors::of_process();
  Its mine{{}, on_host};
  for (const int number : processors.numbers()) {
    if (number < 1024) mine.processors[std::size_t(number / 64)] |= std::uint64_t(1) << (number % 64);
  }
  ProcessorsShared shared{threads_within_quota(processors.count()), 0, 0};
  for (const Its& its : here.all_gather(mine)) {
    bool overlaps = mine.processors == its.processors;  // nobody knows: all of them, then
    for (std::size_t k = 0; k < mine.processors.size(); ++k) overlaps |= (mine.processors[k] & its.processors[k]) != 0;
    if (overlaps) ++(its.on_host ? shared.host_ranks : shared.device_ranks);
  }
  return shared;
}

template <class Exec>
Exec instance_for_bytes(const Exec& all, std::uint64_t bytes) {
  constexpr std::uint64_t bytes_of_thread = 1 << 20;
  const std::uint64_t worthwhile = std::max<std::uint64_t>(bytes / bytes_of_thread, 1);
  if (!has_threads<Exec> || worthwhile >= std::uint64_t(all.concurrency())) return all;
  return instance_of<Exec>(static_cast<int>(worthwhile));
}

template HostExecution instance_of_threads<HostExecution>(std::optional<int>);
template HostExecution instance_for_bytes(const HostExecution&, std::uint64_t);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template Execution instance_of_threads<Execution>(std::optional<int>);
template Execution instance_for_bytes(const Execution&, std::uint64_t);
#endif

}  // namespace ashlar::app
