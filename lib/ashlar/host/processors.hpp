#pragma once

#include <memory>
#include <vector>

namespace ashlar {

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

}  // namespace ashlar
