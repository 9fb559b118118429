#include "solve/threads.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>

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

Execution instance_of_threads(std::optional<int> asked) {
  const Execution all;
  if (!asked) return all;
  if (!has_threads<Execution>) {
    throw ArgumentError(text("--threads ", *asked), text("this build computes with ", Execution::name()),
                        "leave it out");
  }
  if (*asked > all.concurrency()) {
    throw ArgumentError(text("--threads ", *asked),
                        text("this process has ", all.concurrency(), all.concurrency() == 1 ? " thread" : " threads"),
                        "ask for fewer, or give it more by OMP_NUM_THREADS");
  }
  return *asked == all.concurrency() ? all : instance_of<Execution>(*asked);
}

Execution instance_for_bytes(const Execution& all, std::uint64_t bytes) {
  constexpr std::uint64_t bytes_of_thread = 1 << 20;
  const std::uint64_t worthwhile = std::max<std::uint64_t>(bytes / bytes_of_thread, 1);
  if (!has_threads<Execution> || worthwhile >= std::uint64_t(all.concurrency())) return all;
  return instance_of<Execution>(static_cast<int>(worthwhile));
}

}  // namespace ashlar::app
