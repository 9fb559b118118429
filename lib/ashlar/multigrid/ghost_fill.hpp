#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/device/event.hpp>
#include <ashlar/device/priority_instance.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_figures.hpp>
#include <ashlar/halo/peer_stages.hpp>
#include <ashlar/halo/peer_tasks.hpp>
#include <ashlar/multigrid/boundary.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/ghost_plan.hpp>
#include <ashlar/multigrid/impl/box_messages.hpp>
#include <ashlar/multigrid/impl/ghost_tasks.hpp>
#include <ashlar/multigrid/impl/message_bodies.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

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
      pack_ = impl::to_space(exec, "ashlar::multigrid::pack", plan.pack);
      local_ = impl::to_space(exec, "ashlar::multigrid::local", plan.local);
      unpack_ = impl::to_space(exec, "ashlar::multigrid::unpack", plan.unpack);
      boundary_ = impl::to_space(exec, "ashlar::multigrid::boundary", plan.boundary);
    });
    const std::size_t own = plan.num_own_boundary;
    own_boundary_ = Kokkos::subview(boundary_, std::pair<std::size_t, std::size_t>(0, own));
    boundary_of_others_ = Kokkos::subview(boundary_, std::pair(own, plan.boundary.size()));
    if (!plan.is_shared) return;
    messages_ = impl::BoxMessages<Exec, Real>(exec, comm, plan.to, plan.from, 1, options);
    comm.together([&] {
      if (messages_.by_kernels() == nullptr) return;
      pack_parts_ = impl::to_space(exec, "ashlar::multigrid::pack", impl::parts_of(plan.pack, plan.to));
      unpack_parts_ = impl::to_space(exec, "ashlar::multigrid::unpack", impl::parts_of(plan.unpack, plan.from));
    });
  }

  /// From box to box, within the domain; between boxes of this rank while messages are on their way.
  ///
  /// Async    enqueued on `exec`; no fence, no allocation. Where this rank has neighbours the host waits as
  ///          NeighbourExchange does. In the kernel mode all is one launch on a device.
  template <class Vector>
  void exchange(const Exec& exec, const Vector& x) const {
    if (auto* const exchange = messages_.by_kernels()) {
      exchange->exchange_by(exec, "ashlar::multigrid::exchange", pack_tasks(x), copy_tasks(x), unpack_tasks(x));
      return;
    }
    send(exec, x);
    copy(exec, x);
    receive(exec, x);
  }

  /// The same, and then beyond the domain's boundary, where u = 0. Edges and corners are a polynomial in each direction
  /// that leads out of the domain.
  template <class Vector>
  void operator()(const Exec& exec, const Vector& x, BoundaryOrder order) const {
    exchange(exec, x);
    extend(exec, x, order, boundary_);
  }

  /// The same, and interior() meanwhile, which enqueues work on `exec` that reads no ghost cell that follows from other
  /// ranks' cells, and writes none of the cells that are sent (LevelCut). On a device messages have an instance of
  /// their own beside `exec`, once prepare_beside() has been called.
  template <class Vector, class Interior>
  void beside(const Exec& exec, const Vector& x, BoundaryOrder order, const Interior& interior) const {
    const Exec& aside = side_ ? side_->instance.get() : exec;
    if (side_) {
      side_->is_ready.record(exec);
      side_->is_ready.wait(aside);
    }
    const auto without_messages = [&] {
      copy(exec, x);
      extend(exec, x, order, own_boundary_);
      interior();
    };
    const auto with_messages = [&] {
      receive(aside, x);
      extend(aside, x, order, boundary_of_others_);
    };
    auto* const exchange = messages_.by_kernels();
    if (is_gpu_v<Exec> && exchange != nullptr) {
      exchange->exchange_by(aside, "ashlar::multigrid::exchange", pack_tasks(x), PeerTasks<NoPeerTask>{},
                            unpack_tasks(x));
      extend(aside, x, order, boundary_of_others_);
      without_messages();
    } else if (!is_gpu_v<Exec> || messages_.is_stream_ordered()) {
      send(aside, x);
      without_messages();
      with_messages();
    } else {
      // The host waits in send(): what else there is to do is enqueued before.
      without_messages();
      send(aside, x);
      with_messages();
    }
    if (side_) {
      side_->has_come.record(aside);
      side_->has_come.wait(exec);
    }
  }

  /// The same and all that depends on it, in the kernel mode (has_kernels()) as one launch on a device: tasks as of
  /// PeerTasks, of which those of `interior` read and write as interior() above may, and those of `shell` come when all
  /// ghost cells are there.
  template <class Vector, class Interior, class Shell>
  void as_one(const Exec& exec, const std::string& label, const Vector& x, BoundaryOrder order,
              const PeerTasks<Interior>& interior, const PeerTasks<Shell>& shell) const {
    constexpr auto packs = PeerStageKind::packs, works = PeerStageKind::works, takes = PeerStageKind::takes;
    const auto extend = [&](const Boundary& regions) -> impl::ExtendGhostTask<Real> {
      return {regions.data(), {x.data(), layout_, weights(order)}};
    };
    const auto pack = pack_tasks(x);
    const auto copy = copy_tasks(x);
    const auto unpack = unpack_tasks(x);
    // The bits are stages: these have copied from box to box, and these have filled all ghost cells. What is sent is
    // read before the shell, which may be written in place.
    constexpr unsigned copied = 0b10, filled_by_own = 0b110, taken = 0b10000, all_but_interior = 0b110111;
    messages_.by_kernels()->exchange_in_stages(
        exec, label, PeerStage<packs, 0, impl::PackGhostParts<Real>>{pack.count, pack.body},
        PeerStage<works, 0, impl::CopyGhostTask<Real>>{copy.count, copy.body},
        PeerStage<works, copied, impl::ExtendGhostTask<Real>>{int(own_boundary_.extent(0)), extend(own_boundary_)},
        PeerStage<works, filled_by_own, Interior>{interior.count, interior.body},
        PeerStage<takes, 0, impl::UnpackGhostParts<Real>>{unpack.count, unpack.body},
        PeerStage<works, copied | taken, impl::ExtendGhostTask<Real>>{int(boundary_of_others_.extent(0)),
                                                                      extend(boundary_of_others_)},
        PeerStage<works, all_but_interior, Shell>{shell.count, shell.body});
  }

  /// Whether exchanges are enqueued, and the host waits for none: then they may be captured on a device. The same on all
  /// ranks.
  bool is_stream_ordered() const { return messages_.is_stream_ordered(); }
  /// Whether this rank has neighbours, with which kernels exchange by themselves.
  bool has_kernels() const { return messages_.by_kernels() != nullptr; }

  /// Allocates what beside() needs on a device.
  void prepare_beside(const Exec& exec) {
    if (is_gpu_v<Exec> && messages_.has_neighbours() && !side_) side_ = std::make_shared<Side>(exec);
  }

  /// What it copies from box to box, what it fills beyond the boundary, and how: for kernels that do this themselves.
  const Kokkos::View<GhostCopy*, Space>& local() const { return local_; }
  const Kokkos::View<BoundaryRegion*, Space>& boundary() const { return boundary_; }
  BoundaryWeights<Real> weights(BoundaryOrder order) const {
    return boundary_weights<Real>(boundary_order(order, layout_.dim));
  }

  /// What this rank sends each time.
  const HaloCount& sent() const { return messages_.sent(); }

  /// The mode of its messages; where ranks send none, `otherwise`.
  ExchangeMode mode(ExchangeMode otherwise) const { return messages_.mode(otherwise); }

  /// Throws CommError where a device has waited for another rank in vain so far. (The same is true of the others.)
  void check() const { messages_.check(); }

 private:
  using Boundary = Kokkos::View<BoundaryRegion*, Space>;

  /// Where messages travel beside other work.
  struct Side {
    explicit Side(const Exec& exec) : instance(exec), is_ready(exec), has_come(exec) {}
    PriorityInstance<Exec> instance;
    Event<Exec> is_ready, has_come;  // what is sent; the ghost cells
  };

  // In the kernel mode.
  template <class Vector>
  PeerTasks<impl::PackGhostParts<Real>> pack_tasks(const Vector& x) const {
    return {int(pack_parts_.extent(0)), {pack_parts_.data(), x.data(), layout_}};
  }
  template <class Vector>
  PeerTasks<impl::CopyGhostTask<Real>> copy_tasks(const Vector& x) const {
    return {int(local_.extent(0)), {local_.data(), {x.data(), layout_}}};
  }
  template <class Vector>
  PeerTasks<impl::UnpackGhostParts<Real>> unpack_tasks(const Vector& x) const {
    return {int(unpack_parts_.extent(0)), {unpack_parts_.data(), x.data(), layout_}};
  }

  template <class Vector>
  void send(const Exec& exec, const Vector& x) const {
    if (auto* const exchange = messages_.by_kernels()) {
      return exchange->start_by(exec, "ashlar::multigrid::pack", pack_tasks(x));
    }
    messages_.send(exec, [&](Real* buffer) {
      impl::for_each_region("ashlar::multigrid::pack", exec, pack_, impl::PackGhosts<Real>{x.data(), layout_, buffer});
    });
  }
  template <class Vector>
  void copy(const Exec& exec, const Vector& x) const {
    impl::for_each_region("ashlar::multigrid::exchange", exec, local_, impl::CopyGhosts<Real>{x.data(), layout_});
  }
  template <class Vector>
  void receive(const Exec& exec, const Vector& x) const {
    if (auto* const exchange = messages_.by_kernels()) {
      return exchange->finish_by(exec, "ashlar::multigrid::unpack", unpack_tasks(x));
    }
    messages_.receive(exec, [&](const Real* buffer) {
      impl::for_each_region("ashlar::multigrid::unpack", exec, unpack_,
                            impl::UnpackGhosts<Real>{x.data(), layout_, buffer});
    });
  }
  template <class Vector>
  void extend(const Exec& exec, const Vector& x, BoundaryOrder order, const Boundary& regions) const {
    impl::for_each_region("ashlar::multigrid::boundary", exec, regions,
                          impl::ExtendToGhosts<Real>{x.data(), layout_, weights(order)});
  }

  BoxLayout layout_;
  Kokkos::View<GhostCopy*, Space> pack_, local_, unpack_;
  Kokkos::View<impl::GhostPart*, Space> pack_parts_, unpack_parts_;  // in the kernel mode
  Boundary boundary_, own_boundary_, boundary_of_others_;
  std::shared_ptr<Side> side_;  // of beside(), on a device
  impl::BoxMessages<Exec, Real> messages_;
};

}  // namespace ashlar::multigrid
