#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/transfer.hpp>
#include <concepts>
#include <cstddef>
#include <string>

namespace ashlar::multigrid {

/// Where levels that are small run.
using HostExecution = Kokkos::DefaultHostExecutionSpace;

/// The instance of the host that levels below those of `exec` run on: `exec` itself where it is the host's, else the
/// default one.
template <execution_space Exec>
HostExecution host_instance(const Exec& exec) {
  if constexpr (std::same_as<Exec, HostExecution>) {
    return exec;
  } else {
    return HostExecution();
  }
}

/// Between a level in the memory of Exec and the next coarser one, which is in the host's. All is computed by Exec, in
/// a vector of the coarser level in its memory: what restriction makes is then copied to the host, and what is to be
/// interpolated comes from there before. The coarser level's u and r become pinned memory, so that these copies are
/// enqueued.
template <execution_space Exec, class Real>
class HostTransfer {
 public:
  using Vector = typename Level<Exec, Real>::Vector;
  using HostVector = typename Level<HostExecution, Real>::Vector;

  /// Collective over the ranks of the levels.
  HostTransfer(const Exec& exec, const Level<Exec, Real>& fine, Level<HostExecution, Real>& coarse)
      : transfer_(exec, fine, coarse) {
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
  /// Async    enqueued on `exec`, after what is enqueued on the host's instance; until it is done `coarse` must not
  ///          change: the next restriction waits for that.
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
  using Pinned = Kokkos::View<Real**, Kokkos::LayoutRight, Kokkos::SharedHostPinnedSpace>;

  void copy_to_host(const Exec& exec, const HostVector& coarse) const {
    if (coarse.size() == 0) return;
    Kokkos::deep_copy(exec, coarse, coarse_);
    exec.fence("ashlar::multigrid: what goes to the host");
  }

  LevelTransfer<Exec, Real> transfer_;
  Vector coarse_;
  Pinned u_, r_;
};

}  // namespace ashlar::multigrid
