#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/cycles/cycle.hpp>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/transfer.hpp>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::multigrid {

/// Where levels that are small run.
using HostExecution = Kokkos::DefaultHostExecutionSpace;

/// The instance on which levels of the host run: `exec` itself if it is the host's, else the default one.
template <execution_space Exec>
HostExecution host_instance(const Exec& exec) {
  if constexpr (std::same_as<Exec, HostExecution>) {
    return exec;
  } else {
    return HostExecution();
  }
}

template <execution_space Exec, class Real>
class Multigrid;

/// The levels that run on the host, as a multigrid of their own, and what lies between them and the last level in the
/// memory of Exec. Exec computes all transfers, in a vector of the coarser level in its memory: the result of a
/// restriction is then copied to the host, and a vector is copied from there before it is interpolated. The coarser
/// level's u and r become pinned memory, so that these copies are enqueued.
template <execution_space Exec, class Real>
class HostLevels {
 public:
  using Vector = typename Level<Exec, Real>::Vector;
  using HostVector = typename Level<HostExecution, Real>::Vector;
  using HostMultigrid = Multigrid<HostExecution, Real>;

  /// `coarse` is the first level of `below`. Collective over the ranks of the levels.
  HostLevels(const Exec& exec, std::unique_ptr<HostMultigrid> below, const Level<Exec, Real>& fine,
             Level<HostExecution, Real>& coarse)
      : below_(std::move(below)), transfer_(exec, fine, coarse) {
    fine.comm->together([&] {
      const std::size_t boxes = coarse.u.extent(0), volume = coarse.u.extent(1);
      coarse_ = Vector(Kokkos::view_alloc(exec, "ashlar::multigrid::coarse"), boxes, volume);
      const auto pinned = [&](const std::string& label, Pinned& memory) {
        memory = Pinned(Kokkos::view_alloc(exec, label), boxes, volume);
        return HostVector(memory.data(), boxes, volume);
      };
      coarse.u = pinned("ashlar::multigrid::pinned_u", u_);
      coarse.r = pinned("ashlar::multigrid::pinned_r", r_);
    });
    exec.fence("ashlar::multigrid: memory between device and host");
  }

  HostMultigrid& levels() const { return *below_; }
  const Level<HostExecution, Real>& first() const { return below_->level(0); }

  /// work(instance) with the instance of the host; its time is counted.
  template <class Work>
  decltype(auto) timed(const Exec& exec, const Work& work) const {
    const Count count{seconds_};
    return work(host_instance(exec));
  }
  /// Seconds of such work since this was made.
  double seconds() const { return seconds_; }

  /// coarse := the means of the fine cells
  ///
  /// Async    waits for `exec`, so that the host may go on; not on ranks without boxes of the coarser level. (The same
  ///          is true of the next.)
  void restrict_cells(const Exec& exec, const Vector& fine, const HostVector& coarse) const {
    transfer_.restrict_cells(exec, fine, coarse_);
    copy_to_host(exec, coarse);
  }

  /// The same of faces normal to `direction`.
  void restrict_faces(const Exec& exec, int direction, const Vector& fine, const HostVector& coarse) const {
    transfer_.restrict_faces(exec, direction, fine, coarse_);
    copy_to_host(exec, coarse);
  }

  /// fine := coarse, interpolated, or fine := fine + that. The ghost cells of `coarse` have been filled (shape box).
  ///
  /// Async    enqueued on `exec`, after the work on the host's instance; until it is done `coarse` must not change: the
  ///          next restriction waits for that.
  void interpolate(const Exec& exec, InterpolationOrder order, bool adds, const HostVector& coarse,
                   const Vector& fine) const {
    if (coarse.size() > 0) {
      if constexpr (!std::same_as<Exec, HostExecution>) {
        host_instance(exec).fence("ashlar::multigrid: what goes to the device");
      }
      Kokkos::deep_copy(exec, coarse_, coarse);
    }
    transfer_.interpolate(exec, order, adds, coarse_, fine);
  }

 private:
  /// Adds the time of its life.
  struct Count {
    double& seconds;
    Kokkos::Timer timer = {};
    ~Count() { seconds += timer.seconds(); }
  };
  using Pinned = Kokkos::View<Real**, Kokkos::LayoutRight, Kokkos::SharedHostPinnedSpace>;

  void copy_to_host(const Exec& exec, const HostVector& coarse) const {
    if (coarse.size() == 0) return;
    Kokkos::deep_copy(exec, coarse, coarse_);
    exec.fence("ashlar::multigrid: what goes to the host");
  }

  std::unique_ptr<HostMultigrid> below_;
  LevelTransfer<Exec, Real> transfer_;
  Vector coarse_;
  Pinned u_, r_;
  mutable double seconds_ = 0;
};

}  // namespace ashlar::multigrid
