#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/event.hpp>
#include <ashlar/krylov/impl/cg_memory.hpp>
#include <vector>

namespace ashlar::impl {

/// The host's looks at the scalars of CG: asked for, they are enqueued behind what is to be looked at, and the host
/// waits for them later, while the device goes on. Two may be on their way.
template <execution_space Exec>
class Looks {
 public:
  explicit Looks(const Exec& exec) : slots_{Slot(exec), Slot(exec)} {}

  /// Looks at what has been done when all that is enqueued on `exec` has ended.
  void ask(const Exec& exec, const CgMemory<Exec>& memory) {
    Slot& slot = slots_[asked_++ % slots_.size()];
    Kokkos::deep_copy(exec, slot.scalars, memory.scalars);
    Kokkos::deep_copy(exec, slot.history, memory.history);
    slot.event.record(exec);
  }

  int on_their_way() const { return asked_ - seen_; }

  /// The oldest look that is on its way, when it has come: how far the iteration was. Norms that are new since the one
  /// before are added to `norms`, of which there is one for each iteration.
  Progress wait(std::vector<double>& norms) {
    Slot& slot = slots_[seen_++ % slots_.size()];
    slot.event.wait();
    const Progress& progress = slot.scalars().progress;
    if (norms.empty()) norms.push_back(progress.last);
    for (int k = static_cast<int>(norms.size()); k <= progress.iterations; ++k) {
      norms.push_back(slot.history(k % most_between_looks));
    }
    return progress;
  }

 private:
  using Pinned = Kokkos::SharedHostPinnedSpace;

  struct Slot {
    explicit Slot(const Exec& exec)
        : scalars(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::cg::seen")),
          history(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::cg::seen_history"), most_between_looks),
          event(exec) {}

    Kokkos::View<CgScalars, Pinned> scalars;
    Kokkos::View<double*, Pinned> history;
    Event<Exec> event;
  };

  std::array<Slot, 2> slots_;
  int asked_ = 0, seen_ = 0;
};

}  // namespace ashlar::impl
