#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <ashlar/multigrid/impl/transfer_bodies.hpp>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/transfer_plan.hpp>

namespace ashlar::multigrid {

/// The degree of the polynomials that interpolation takes in each direction: 2 or 4.
enum class InterpolationOrder { quadratic, quartic };

/// Restriction and interpolation between a level and the next coarser one.
template <execution_space Exec>
class LevelTransfer {
 public:
  using Space = typename Exec::memory_space;
  using Vector = typename Level<Exec>::Vector;

  /// Throws   ArgumentError where fine cells and the coarse ones over them belong to different ranks: there are no
  ///          messages yet.
  LevelTransfer(const Level<Exec>& fine, const Level<Exec>& coarse) {
    const TransferPlan plan = make_transfer_plan(fine.grid, coarse.grid);
    if (!plan.to.empty() || !plan.from.empty()) {
      throw ArgumentError("multigrid: a level over several ranks", "nothing is sent between ranks yet",
                          "run it on one rank");
    }
    dim_ = plan.dim;
    transfer_ = {impl::to_space<Space>("ashlar::multigrid::transfer", plan.local), fine.layout, coarse.layout};
  }

  /// coarse := the means of the fine cells
  ///
  /// Async    enqueued on `exec`; no fence, no allocation. (The same is true of the others.)
  void restrict_cells(const Exec& exec, const Vector& fine, const Vector& coarse) const {
    impl::for_each_cell("ashlar::multigrid::restrict_cells", exec, num_blocks(), {dim_, dim_, dim_},
                        impl::RestrictCells<Blocks>{transfer_, fine.data(), coarse.data()});
  }

  /// The same of faces normal to `direction`, those at the far end of each coarse box included.
  void restrict_faces(const Exec& exec, int direction, const Vector& fine, const Vector& coarse) const {
    Index3 size{dim_, dim_, dim_};
    ++size[direction];
    impl::for_each_cell("ashlar::multigrid::restrict_faces", exec, num_blocks(), size,
                        impl::RestrictFaces<Blocks>{transfer_, fine.data(), coarse.data(), direction, dim_});
  }

  /// fine := coarse, interpolated, or fine := fine + that. The ghost cells of `coarse` have been filled (shape box).
  void interpolate(const Exec& exec, InterpolationOrder order, bool adds, const Vector& coarse,
                   const Vector& fine) const {
    const auto run = [&](const auto& body) {
      impl::for_each_cell("ashlar::multigrid::interpolate", exec, num_blocks(), {dim_, dim_, dim_}, body);
    };
    if (order == InterpolationOrder::quadratic) {
      run(impl::Interpolate<Blocks, 1>{transfer_, coarse.data(), fine.data(), {1. / 8}, adds});
    } else {
      run(impl::Interpolate<Blocks, 2>{transfer_, coarse.data(), fine.data(), {22. / 128, -3. / 128}, adds});
    }
  }

 private:
  using Blocks = Kokkos::View<TransferBlock*, Space>;

  int num_blocks() const { return static_cast<int>(transfer_.blocks.extent(0)); }

  int dim_ = 0;
  impl::Transfer<Blocks> transfer_;
};

}  // namespace ashlar::multigrid
