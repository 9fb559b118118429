#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/impl/messages.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <ashlar/multigrid/impl/transfer_bodies.hpp>
#include <ashlar/multigrid/level.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::multigrid {

/// The degree of the polynomials that interpolation takes in each direction: 2 or 4.
enum class InterpolationOrder { quadratic, quartic };

/// Restriction and interpolation between a level and the next coarser one. Where a coarse box and a fine one in it are
/// of different ranks, the owner of the cells that are read computes, and sends what becomes of them. All ranks call
/// the same in the same order, those without boxes as well. Copies have their messages in common.
template <execution_space Exec, class Real = double>
class LevelTransfer {
 public:
  using Space = typename Exec::memory_space;
  using Vector = typename Level<Exec, Real>::Vector;

  /// Collective over the ranks of the levels. `coarse` may be another execution space's: the vectors that are passed
  /// for it are this one's all the same.
  template <execution_space CoarseExec>
  LevelTransfer(const Exec& exec, const Level<Exec, Real>& fine, const Level<CoarseExec, Real>& coarse) {
    TransferPlan plan = make_transfer_plan(fine.grid, coarse.grid);
    dim_ = plan.dim;
    fine_layout_ = fine.layout;
    coarse_layout_ = coarse.layout;
    // In a buffer, blocks lie one after another like boxes. So the kernels that write to boxes write there, too.
    for (std::size_t n = 0; n < plan.to_coarse.size(); ++n) {
      plan.to_coarse[n].coarse_box = static_cast<int>(n);
      plan.to_coarse[n].begin = {0, 0, 0};
    }
    for (std::size_t n = 0; n < plan.from_fine.size(); ++n) plan.from_fine[n].fine_box = static_cast<int>(n);
    const Communicator& comm = *fine.comm;
    comm.together([&] {
      local_ = ashlar::impl::view_from(exec, "ashlar::multigrid::transfer", plan.local);
      to_coarse_ = ashlar::impl::view_from(exec, "ashlar::multigrid::to_coarse", plan.to_coarse);
      from_fine_ = ashlar::impl::view_from(exec, "ashlar::multigrid::from_fine", plan.from_fine);
    });
    if (!plan.is_shared) return;
    const std::int64_t cells = std::int64_t(dim_) * dim_ * dim_;
    const auto in_blocks = [cells](std::vector<GhostMessage> messages) {
      for (GhostMessage& message : messages) {
        message.begin /= cells;
        message.count /= cells;
      }
      return messages;
    };
    const auto to = in_blocks(plan.to), from = in_blocks(plan.from);
    const ExchangeOptions& options = fine.exchange_options;
    restricted_ = impl::BoxMessages<Exec, Real>(exec, comm, to, from, coarse_cells().volume(), options);
    restricted_faces_ = impl::BoxMessages<Exec, Real>(exec, comm, to, from, coarse_faces().volume(), options);
    interpolated_ = impl::BoxMessages<Exec, Real>(exec, comm, from, to, fine_cells().volume(), options);
  }

  /// coarse := the means of the fine cells
  ///
  /// Async    enqueued on `exec`; no fence, no allocation. Where this rank sends or receives, the host waits as
  ///          NeighbourExchange does. (The same is true of the others.)
  void restrict_cells(const Exec& exec, const Vector& fine, const Vector& coarse) const {
    const Index3 size{dim_, dim_, dim_};
    const auto to = [&](const Blocks& blocks, const BoxLayout& layout, Real* out) {
      for_blocks("restrict_cells", exec, blocks, size,
                 impl::RestrictCells<Blocks, Real>{{blocks, fine_layout_, layout}, fine.data(), out});
    };
    restricted_.send(exec, [&](Real* buffer) { to(to_coarse(), coarse_cells(), buffer); });
    to(local(), coarse_layout_, coarse.data());
    restricted_.receive(exec, [&](const Real* buffer) {
      for_blocks("take_cells", exec, from_fine(), size,
                 impl::TakeCoarse<Blocks, Real>{from_fine(), coarse_cells(), coarse_layout_, buffer, coarse.data()});
    });
  }

  /// The same of faces normal to `direction`, those at the far end of each coarse box included.
  void restrict_faces(const Exec& exec, int direction, const Vector& fine, const Vector& coarse) const {
    Index3 size{dim_, dim_, dim_};
    ++size[direction];
    const auto to = [&](const Blocks& blocks, const BoxLayout& layout, Real* out) {
      for_blocks("restrict_faces", exec, blocks, size,
                 impl::RestrictFaces<Blocks, Real>{{blocks, fine_layout_, layout}, fine.data(), out, direction, dim_});
    };
    restricted_faces_.send(exec, [&](Real* buffer) { to(to_coarse(), coarse_faces(), buffer); });
    to(local(), coarse_layout_, coarse.data());
    restricted_faces_.receive(exec, [&](const Real* buffer) {
      for_blocks("take_faces", exec, from_fine(), size,
                 impl::TakeCoarseFaces<Blocks, Real>{
                     {from_fine(), coarse_faces(), coarse_layout_, buffer, coarse.data()}, direction});
    });
  }

  /// fine := coarse, interpolated, or fine := fine + that. The ghost cells of `coarse` have been filled (shape box).
  void interpolate(const Exec& exec, InterpolationOrder order, bool adds, const Vector& coarse,
                   const Vector& fine) const {
    const auto to = [&](const Blocks& blocks, const BoxLayout& layout, Real* out, bool adding) {
      const impl::Transfer<Blocks> transfer{blocks, layout, coarse_layout_};
      const auto run = [&](const auto& body) { for_blocks("interpolate", exec, blocks, {dim_, dim_, dim_}, body); };
      if (order == InterpolationOrder::quadratic) {
        run(impl::Interpolate<Blocks, Real, 1>{transfer, coarse.data(), out, impl::quadratic_weights<Real>(adding)});
      } else {
        run(impl::Interpolate<Blocks, Real, 2>{transfer, coarse.data(), out, impl::quartic_weights<Real>(adding)});
      }
    };
    interpolated_.send(exec, [&](Real* buffer) { to(from_fine(), fine_cells(), buffer, false); });
    to(local(), fine_layout_, fine.data(), adds);
    interpolated_.receive(exec, [&](const Real* buffer) {
      for_blocks("take_fine", exec, to_coarse(), {2 * dim_, 2 * dim_, 2 * dim_},
                 impl::TakeFine<Blocks, Real>{to_coarse(), fine_cells(), fine_layout_, buffer, fine.data(), adds});
    });
  }

  /// The bodies of restriction and interpolation within this rank, for each coarse cell of its blocks.
  impl::RestrictCells<impl::Items<TransferBlock>, Real> restriction(const Vector& fine, const Vector& coarse) const {
    return {{local(), fine_layout_, coarse_layout_}, fine.data(), coarse.data()};
  }
  template <int reach>
  impl::Interpolate<impl::Items<TransferBlock>, Real, reach> interpolation(
      const impl::InterpolationWeights<Real, reach>& weights, const Vector& coarse, const Vector& fine) const {
    return {{local(), fine_layout_, coarse_layout_}, coarse.data(), fine.data(), weights};
  }
  int num_blocks() const { return local().count; }
  Index3 block_size() const { return {dim_, dim_, dim_}; }

  /// The messages that this rank sends in a restriction of cells, and in an interpolation.
  const HaloCount& sent_to_coarse() const { return restricted_.sent(); }
  const HaloCount& sent_to_fine() const { return interpolated_.sent(); }

  void check() const {
    for (const auto* const messages : {&restricted_, &restricted_faces_, &interpolated_}) messages->check();
  }

 private:
  using Blocks = impl::Items<TransferBlock>;
  using List = Kokkos::View<TransferBlock*, Space>;

  template <class Body>
  static void for_blocks(const std::string& name, const Exec& exec, const Blocks& blocks, const Index3& size,
                         const Body& body) {
    impl::for_each_cell("ashlar::multigrid::" + name, exec, blocks.count, size, body);
  }

  Blocks local() const { return impl::items(local_); }
  Blocks to_coarse() const { return impl::items(to_coarse_); }
  Blocks from_fine() const { return impl::items(from_fine_); }

  // A block of a buffer. For faces it has ghost cells: there is one more layer in one direction.
  BoxLayout coarse_cells() const { return {dim_, 0}; }
  BoxLayout coarse_faces() const { return {dim_, 1}; }
  BoxLayout fine_cells() const { return {2 * dim_, 0}; }

  int dim_ = 0;
  BoxLayout fine_layout_, coarse_layout_;
  List local_, to_coarse_, from_fine_;
  impl::BoxMessages<Exec, Real> restricted_, restricted_faces_, interpolated_;
};

}  // namespace ashlar::multigrid
