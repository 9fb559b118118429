#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/event.hpp>
#include <ashlar/device/for_entries.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <vector>

namespace ashlar::impl {

/// The host's checks of a method's progress: a check is a copy of the scalars, enqueued behind the iterations that it
/// is of. The host waits for it later, while the device goes on. Two may be pending.
template <execution_space Exec, class Memory>
class ProgressChecks {
 public:
  using Scalars = typename Memory::Scalars;

  explicit ProgressChecks(const Exec& exec) : slots_{Slot(exec), Slot(exec)} {}

  /// Enqueues a check of what has been done when all that is enqueued on `exec` has ended.
  void enqueue(const Exec& exec, const Memory& memory) {
    Slot& slot = slots_[enqueued_++ % slots_.size()];
    if constexpr (is_known_at_once) {
      // All of it has ended. A check is made in each iteration: only the norms that are new are copied.
      slot.scalars() = memory.scalars();
      const int now = slot.scalars().progress.iterations;
      copied_ = std::min(copied_, now);  // another solve
      while (copied_ < now) {
        const int place = ++copied_ % most_between_checks;
        slot.history(place) = memory.history(place);
      }
    } else {
      Kokkos::deep_copy(exec, slot.scalars, memory.scalars);
      Kokkos::deep_copy(exec, slot.history, memory.history);
    }
    if constexpr (!Memory::is_on_host) slot.event.record(exec);
  }

  /// Forgets the checks that are pending, of a solve that failed.
  void discard() { seen_ = enqueued_; }

  int num_pending() const { return enqueued_ - seen_; }

  /// Waits for the oldest check that is pending: the scalars then. Norms that are new since the one before are added to
  /// `norms`, of which there is one for each iteration.
  Scalars wait(std::vector<double>& norms) {
    Slot& slot = slots_[seen_++ % slots_.size()];
    if constexpr (!Memory::is_on_host) slot.event.wait();
    const Progress& progress = slot.scalars().progress;
    if (norms.empty()) norms.push_back(progress.last);
    for (int k = static_cast<int>(norms.size()); k <= progress.iterations; ++k) {
      norms.push_back(slot.history(k % most_between_checks));
    }
    return slot.scalars();
  }

 private:
  using Pinned = Kokkos::SharedHostPinnedSpace;
  static constexpr bool is_known_at_once = runs_at_launch<Exec> || Memory::is_on_host;

  struct Slot {
    explicit Slot(const Exec& exec)
        : scalars(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::solver::seen")),
          history(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::solver::seen_history"), most_between_checks),
          event(exec) {}

    Kokkos::View<Scalars, Pinned> scalars;
    Kokkos::View<double*, Pinned> history;
    Event<Exec> event;
  };

  std::array<Slot, 2> slots_;
  int enqueued_ = 0, seen_ = 0;
  int copied_ = 0;  ///< iterations whose norms a host has copied
};

}  // namespace ashlar::impl
