#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/multigrid/boundary.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/ghost_plan.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <string>
#include <vector>

namespace ashlar::multigrid {

/// Fills the ghost cells of the vectors of one level, after a plan of one shape.
template <execution_space Exec>
class GhostFill {
 public:
  using Space = typename Exec::memory_space;

  GhostFill() = default;
  /// Throws   ArgumentError where a box beside belongs to another rank: there are no messages yet.
  GhostFill(const BoxLayout& layout, const GhostPlan& plan)
      : layout_(layout),
        local_(impl::to_space<Space>("ashlar::multigrid::local", plan.local)),
        boundary_(impl::to_space<Space>("ashlar::multigrid::boundary", plan.boundary)) {
    if (!plan.to.empty() || !plan.from.empty()) {
      throw ArgumentError("multigrid: a level over several ranks", "its halo is not exchanged between ranks yet",
                          "run it on one rank");
    }
  }

  /// From box to box, within the domain.
  ///
  /// Async    enqueued on `exec`; no fence, no allocation.
  template <class Vector>
  void exchange(const Exec& exec, const Vector& x) const {
    impl::for_each_region("ashlar::multigrid::exchange", exec, local_, impl::CopyGhosts{x.data(), layout_});
  }

  /// The same, and then beyond the domain's boundary, where u = 0. Edges and corners are a polynomial in each direction
  /// that leads out of the domain.
  template <class Vector>
  void operator()(const Exec& exec, const Vector& x, BoundaryOrder order) const {
    exchange(exec, x);
    const BoundaryWeights weights = boundary_weights(boundary_order(order, layout_.dim));
    impl::for_each_region("ashlar::multigrid::boundary", exec, boundary_,
                          impl::ExtendToGhosts{x.data(), layout_, weights});
  }

 private:
  BoxLayout layout_;
  Kokkos::View<GhostCopy*, Space> local_;
  Kokkos::View<BoundaryRegion*, Space> boundary_;
};

}  // namespace ashlar::multigrid
