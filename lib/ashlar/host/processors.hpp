#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ashlar {

/// The processors' worth of time that the control groups (containers, batch jobs) of this process grant: 0.5 is half of
/// one processor's. Infinite where there is no quota, or the system does not say.
///
/// `root` stands before /proc and /sys: for tests.
double processor_quota(const std::string& root = "");

/// `threads`, or as many as the quota grants whole processors, but one at least. More threads than that use up the
/// quota of a period while they wait for each other, and are stopped until it ends: with half a processor two threads
/// took five times as long as one.
int threads_within_quota(int threads, const std::string& root = "");

/// The processors that the threads of this process may run on, all of them together.
///
/// A thread begins where the one may run that makes it; and OpenMP binds the main thread to one processor
/// (OMP_PROC_BIND): threads made there would all share that one.
///
/// Async    none: plain host code. Where the system does not say (other than Linux), take() does nothing.
class Processors {
 public:
  /// As the process is now: OpenMP's threads are there once Kokkos is initialised.
  static Processors of_process();

  /// One at least.
  int count() const { return count_; }
  /// Their numbers, in ascending order; none where the system does not say.
  std::vector<int> numbers() const;

  /// The calling thread may run on all of them from here on.
  void take() const noexcept;

 private:
  struct Mask;
  std::shared_ptr<const Mask> mask_;
  int count_ = 1;
};

/// The host's processor, as its operating system calls it; "unknown processor" where that does not say.
std::string processor_name();

/// True if the host's processor is made by Intel; asks the operating system once.
bool is_intel_processor();

/// Bytes of the processors' last caches that `threads` threads have, each in a cache of its own as long as there are
/// some left; 0 where the system does not say (other than Linux).
///
/// In a virtual machine at most 32 MiB of each cache count: its system reports the whole cache, which other machines
/// share. `root` stands before /proc and /sys: for tests.
std::int64_t last_cache_bytes(int threads, const std::string& root = "");

}  // namespace ashlar
