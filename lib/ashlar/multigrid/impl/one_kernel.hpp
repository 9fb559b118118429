#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/impl/kernel_program.hpp>
#include <ashlar/multigrid/impl/packed_kernel.hpp>
#include <ashlar/multigrid/impl/thread_group.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::multigrid::impl {

/// All by one team.
template <class Real>
struct KernelsOfTeam {
  const PackedKernel* kernels;
  KernelRange range;

  template <class Members>
  KOKKOS_FUNCTION void operator()(const Members& group) const {
    for (int s = 0; s < range.count; ++s) {
      run_kernel<Real>(kernels[s], group);
      group.barrier();
    }
  }
};

/// The kernel that runs a list of packed kernels: here as one team, which needs only Kokkos. On CPUs this is slower
/// than separate kernels; it exists there so that tests compare the bits. A backend whose teams can all wait for each
/// other specialises it, in the library.
template <execution_space Exec, class Real>
class OneKernel {
 public:
  explicit OneKernel(const Exec&) {}

  /// Why it works here for no level; empty if it works.
  std::string why_not() const { return ""; }
  /// Cells of the finest level for which it is good.
  std::int64_t most_cells() const {
    return is_gpu_v<Exec> ? cells_of_one_team : std::numeric_limits<std::int64_t>::max();
  }

  /// How many tiles of RelaxInScratch all teams have scratch memory for.
  int most_tiles() const { return is_gpu_v<Exec> ? 1 : 27; }

  /// Async    enqueued on `exec`; no fence, no allocation.
  void enqueue(const Exec& exec, const PackedKernel* kernels, const KernelRange& range) const {
    const int scratch_size = std::max(scratch_size_of_team, most_tiles() * 2 * widest_volume_in_scratch);
    run_by_team("ashlar::multigrid::one_kernel", exec, KernelsOfTeam<Real>{kernels, range}, 4, scratch_size);
  }

  /// Throws   Error if a wait of threads for each other has exceeded its time limit so far.
  void check() const {}
  std::string explain() const { return "one team"; }
};

#ifdef KOKKOS_ENABLE_CUDA
/// A cooperative grid: as many thread blocks as the device has multiprocessors, with a barrier after a kernel that is
/// for all, unless the next one needs nothing of it; the first thread block runs the kernels for one team. A list that
/// has no others is one thread block.
template <class Real>
class OneKernel<Kokkos::Cuda, Real> {
 public:
  explicit OneKernel(const Kokkos::Cuda& exec);

  std::string why_not() const { return why_not_; }
  std::int64_t most_cells() const { return std::numeric_limits<std::int64_t>::max(); }
  int most_tiles() const { return num_blocks_; }
  void enqueue(const Kokkos::Cuda& exec, const PackedKernel* kernels, const KernelRange& range) const;
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

/// Programs for one kernel, by the numbers of parts of cycles.
template <execution_space Exec, class Real>
class Programs {
 public:
  explicit Programs(const Exec& exec) : kernel_(exec) {}

  const OneKernel<Exec, Real>& kernel() const { return kernel_; }

  /// Translates these steps. Waits for `exec`, and allocates.
  void add(const Exec& exec, int id, const std::vector<cycles::Step>& steps,
           const std::vector<CycleLevel<Exec, Real>>& levels) {
    if (programs_.contains(id)) return;
    if (!writer_) writer_.emplace(exec, kernel_.most_tiles());
    const std::vector<PackedKernel> kernels = writer_->translate(steps, levels);
    const auto is_for_one = [](const PackedKernel& kernel) { return kernel.is_for_one_team != 0; };
    programs_[id] = {ashlar::impl::view_from(exec, "ashlar::multigrid::program", kernels),
                     std::all_of(kernels.begin(), kernels.end(), is_for_one)};
  }

  /// Async    enqueued on `exec`; no fence, no allocation.
  void enqueue(const Exec& exec, int id) const {
    const Program& program = programs_.at(id);
    const auto count = static_cast<int>(program.kernels.extent(0));
    if (count > 0) kernel_.enqueue(exec, program.kernels.data(), {count, program.is_for_one_team});
  }

  void clear() {
    programs_.clear();
    writer_.reset();
  }

 private:
  struct Program {
    Kokkos::View<PackedKernel*, typename Exec::memory_space> kernels;
    bool is_for_one_team = false;
  };

  OneKernel<Exec, Real> kernel_;
  std::map<int, Program> programs_;
  std::optional<ProgramWriter<Exec, Real>> writer_;
};

}  // namespace ashlar::multigrid::impl
