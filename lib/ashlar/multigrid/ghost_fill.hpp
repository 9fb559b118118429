#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/device/runtime/priority_instance.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/peer_messages.hpp>
#include <ashlar/halo/peer_tasks.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/ghost_kernels.hpp>
#include <ashlar/multigrid/impl/messages.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::multigrid {

/// Fills the ghost cells of the vectors of one level, after a plan of one shape. All ranks fill the same vectors in the
/// same order, those without boxes as well. Copies have their messages in common.
template <execution_space Exec, class Real = double>
class GhostFill {
 public:
  using Space = typename Exec::memory_space;

  GhostFill() = default;
  /// Collective over `comm`, which NeighbourExchange uses.
  ///
  /// Throws   on all ranks together: ArgumentError where boxes beside belong to other ranks and `comm` is one alone.
  GhostFill(const Exec& exec, const BoxLayout& layout, const GhostPlan& plan, const Communicator& comm = {},
            const ExchangeOptions& options = {})
      : layout_(layout) {
    if (plan.is_shared && comm.is_alone()) {
      throw ArgumentError("multigrid: a level of several ranks", "there is one rank alone",
                          "pass the communicator of these ranks");
    }
    comm.together([&] {
      pack_ = ashlar::impl::view_from(exec, "ashlar::multigrid::pack", plan.pack);
      std::vector<GhostCopy> local = plan.local;
      const auto rest =
          std::stable_partition(local.begin(), local.end(), [](const GhostCopy& copy) { return !copy.is_outside(); });
      num_plain_ = static_cast<int>(rest - local.begin());
      local_ = ashlar::impl::view_from(exec, "ashlar::multigrid::local", local);
      unpack_ = ashlar::impl::view_from(exec, "ashlar::multigrid::unpack", plan.unpack);
      boundary_ = ashlar::impl::view_from(exec, "ashlar::multigrid::boundary", plan.boundary);
    });
    if (!plan.is_shared) return;
    messages_ = impl::BoxMessages<Exec, Real>(exec, comm, plan.to, plan.from, 1, options);
    comm.together([&] {
      if (messages_.by_kernels() == nullptr) return;
      pack_parts_ = ashlar::impl::view_from(exec, "ashlar::multigrid::pack", impl::parts_of(plan.pack, plan.to));
      unpack_parts_ =
          ashlar::impl::view_from(exec, "ashlar::multigrid::unpack", impl::parts_of(plan.unpack, plan.from));
    });
  }

  /// From box to box, within the domain; between boxes of this rank while messages are on their way. (Messages have
  /// room for what lies beyond it, too, which nobody writes then, or reads.)
  ///
  /// Async    enqueued on `exec`; no fence, no allocation. Where this rank has neighbours the host waits as
  ///          NeighbourExchange does. In the kernel mode all is one launch on a device.
  template <class Vector>
  void exchange(const Exec& exec, const Vector& x) const {
    fill(exec, x, impl::no_boundary<Real>());
  }

  /// The same, and beyond the domain's boundary, where u = 0. Edges and corners are a polynomial in each direction that
  /// leads out of the domain.
  template <class Vector>
  void operator()(const Exec& exec, const Vector& x, BoundaryOrder order) const {
    fill(exec, x, weights(order));
  }

  /// The same, and interior() meanwhile, which enqueues work on `exec` that reads no ghost cell that follows from other
  /// ranks' cells, and writes none of the cells that are sent (LevelCut). In the blocking mode. On a device messages
  /// have an instance of their own beside `exec`, once prepare_beside() has been called.
  template <class Vector, class Interior>
  void beside(const Exec& exec, const Vector& x, BoundaryOrder order, const Interior& interior) const {
    const Exec& aside = side_ ? side_->instance.get() : exec;
    if (side_) {
      side_->is_ready.record(exec);
      side_->is_ready.wait(aside);
    }
    const Weights of = weights(order);
    const auto without_messages = [&] {
      fill_own(exec, x, of);
      interior();
    };
    // On a device the host waits in send(): what else there is to do is enqueued before.
    if constexpr (is_gpu_v<Exec>) without_messages();
    send(aside, x, of);
    if constexpr (!is_gpu_v<Exec>) without_messages();
    receive(aside, x, of);
    if (side_) {
      side_->has_come.record(aside);
      side_->has_come.wait(exec);
    }
  }

  /// Exchanges are enqueued, and the host waits for none: then they may be captured on a device. The same on all ranks.
  bool is_stream_ordered() const { return messages_.is_stream_ordered(); }

  /// Allocates what beside() needs on a device.
  void prepare_beside(const Exec& exec) {
    if (is_gpu_v<Exec> && messages_.has_neighbours() && !side_) side_ = std::make_shared<Side>(exec);
  }

  /// The copies from box to box, the regions beyond the boundary, and their weights, for kernels that fill ghost cells
  /// themselves.
  const Kokkos::View<GhostCopy*, Space>& local() const { return local_; }
  const Kokkos::View<BoundaryRegion*, Space>& boundary() const { return boundary_; }
  BoundaryWeights<Real> weights(BoundaryOrder order) const {
    return boundary_weights<Real>(boundary_order(order, layout_.dim));
  }

  /// What this rank sends each time.
  const HaloCount& sent() const { return messages_.sent(); }

  /// The mode of its messages; where ranks send none, `otherwise`.
  ExchangeMode mode(ExchangeMode otherwise) const { return messages_.mode(otherwise); }
  /// Why it is this mode, for people; where ranks send none, nothing.
  std::string why_mode() const { return messages_.why_mode(); }

  /// Throws CommError where a device has waited for another rank in vain so far. (The same is true of the others.)
  void check() const { messages_.check(); }

 private:
  using Weights = BoundaryWeights<Real>;

  /// Where messages travel beside other work.
  struct Side {
    explicit Side(const Exec& exec) : instance(exec), is_ready(exec), has_come(exec) {}
    PriorityInstance<Exec> instance;
    Event<Exec> is_ready, has_come;  // what is sent; the ghost cells
  };

  /// With the cells beyond the boundary, unless there are no weights for these.
  template <class Vector>
  void fill(const Exec& exec, const Vector& x, const Weights& of) const {
    if (auto* const exchange = messages_.by_kernels()) {
      exchange->exchange_by(exec, "ashlar::multigrid::exchange", pack_tasks(x, of), own_tasks(x, of),
                            unpack_tasks(x, of));
      return;
    }
    send(exec, x, of);
    fill_own(exec, x, of);
    receive(exec, x, of);
  }

  // In the kernel mode.
  template <class Vector>
  PeerTasks<impl::PackGhostParts<Real>> pack_tasks(const Vector& x, const Weights& of) const {
    return {int(pack_parts_.extent(0)), {pack_parts_.data(), {x.data(), layout_, of}}};
  }
  template <class Vector>
  PeerTasks<impl::FillOwnGhosts<Real>> own_tasks(const Vector& x, const Weights& of) const {
    const impl::FillOwnGhosts<Real> body = own(x, of);
    return {body.count(), body};
  }
  template <class Vector>
  PeerTasks<impl::UnpackGhostParts<Real>> unpack_tasks(const Vector& x, const Weights& of) const {
    return {int(unpack_parts_.extent(0)), {unpack_parts_.data(), x.data(), layout_, of.points > 0}};
  }

  template <class Vector>
  impl::FillOwnGhosts<Real> own(const Vector& x, const Weights& of) const {
    auto boundary = impl::items(boundary_);
    if (of.points == 0) boundary.count = 0;
    return {impl::items(local_), boundary, {x.data(), layout_, of}};
  }

  template <class Vector>
  void send(const Exec& exec, const Vector& x, const Weights& of) const {
    messages_.send(exec, [&](Real* buffer) {
      impl::for_each_region("ashlar::multigrid::pack", exec, pack_,
                            impl::PackGhosts<Real, PlainBuffer<Real>>{{x.data(), layout_, of}, {buffer}});
    });
  }
  template <class Vector>
  void fill_own(const Exec& exec, const Vector& x, const Weights& of) const {
    impl::fill_own_ghosts(exec, local_, boundary_, num_plain_, own(x, of));
  }
  template <class Vector>
  void receive(const Exec& exec, const Vector& x, const Weights& of) const {
    messages_.receive(exec, [&](const Real* buffer) {
      impl::for_each_region(
          "ashlar::multigrid::unpack", exec, unpack_,
          impl::UnpackGhosts<Real, PlainBuffer<const Real>>{x.data(), layout_, {buffer}, of.points > 0});
    });
  }

  BoxLayout layout_;
  Kokkos::View<GhostCopy*, Space> pack_, local_, unpack_;
  Kokkos::View<impl::GhostPart*, Space> pack_parts_, unpack_parts_;  // in the kernel mode
  Kokkos::View<BoundaryRegion*, Space> boundary_;
  int num_plain_ = 0;           // of local_: the first ones, which stay within the domain
  std::shared_ptr<Side> side_;  // of beside(), on a device
  impl::BoxMessages<Exec, Real> messages_;
};

}  // namespace ashlar::multigrid
