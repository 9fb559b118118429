#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/impl/crew.hpp>
#include <ashlar/multigrid/impl/run_step.hpp>
#include <ashlar/multigrid/impl/step.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace ashlar::multigrid::impl {

/// All by one team.
template <class Real>
struct StepsOfTeam {
  const Step* steps;
  StepRange range;

  template <class Members>
  KOKKOS_FUNCTION void operator()(const Members& crew) const {
    for (int s = range.first; s < range.end; ++s) {
      run_step<Real>(steps[s], crew);
      crew.meet();
    }
  }
};

/// How one kernel goes through a list of steps: here as one team, which needs nothing but Kokkos. On CPUs that is
/// slower than a kernel a step, and there to show that it computes the same. A backend whose teams can all wait for
/// each other specialises it, in the library.
template <execution_space Exec, class Real>
class VisitKernel {
 public:
  explicit VisitKernel(const Exec&) {}

  /// Why it works here for no level; empty where it does.
  std::string why_not() const { return ""; }
  /// Of the finest level that it is good for.
  std::int64_t most_cells() const {
    return is_gpu_v<Exec> ? cells_of_one_team : std::numeric_limits<std::int64_t>::max();
  }

  /// How many tiles of RelaxInScratch all teams have scratch memory for.
  int most_tiles() const { return is_gpu_v<Exec> ? 1 : 27; }

  /// Async    enqueued on `exec`; no fence, no allocation.
  void enqueue(const Exec& exec, const Step* steps, const StepRange& range) const {
    const int scratch_size = std::max(crew_scratch_size, most_tiles() * 2 * widest_volume_in_scratch);
    run_by_crew("ashlar::multigrid::visit", exec, StepsOfTeam<Real>{steps, range}, 4, scratch_size);
  }

  /// Throws   Error where threads have waited for each other in vain so far.
  void check() const {}
  std::string explain() const { return "one team"; }
};

#ifdef KOKKOS_ENABLE_CUDA
/// A cooperative grid: as many thread blocks as the device has multiprocessors, which meet after a step that is for
/// all, unless the next one needs nothing of it; steps for one team are the first one's. Of a visit that has no others
/// there is one thread block alone.
template <class Real>
class VisitKernel<Kokkos::Cuda, Real> {
 public:
  explicit VisitKernel(const Kokkos::Cuda& exec);

  std::string why_not() const { return why_not_; }
  std::int64_t most_cells() const { return std::numeric_limits<std::int64_t>::max(); }
  int most_tiles() const { return num_blocks_; }
  void enqueue(const Kokkos::Cuda& exec, const Step* steps, const StepRange& range) const;
  void check() const;
  std::string explain() const { return text("up to ", num_blocks_, " thread blocks of ", num_threads, " threads"); }

  static constexpr int num_threads = 512;

 private:
  std::string why_not_;
  int num_blocks_ = 0;
  Kokkos::View<unsigned char*, Kokkos::CudaSpace> memory_;  // a GridMemory
  Kokkos::View<unsigned*, Kokkos::CudaSpace> exchanges_;    // so far, by thread block
  Kokkos::View<unsigned*, Kokkos::SharedHostPinnedSpace> failed_;
};
#endif

}  // namespace ashlar::multigrid::impl
