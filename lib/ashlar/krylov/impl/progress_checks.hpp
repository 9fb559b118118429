#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// How often the host checks for convergence, how it does, and whether the monitor stops the solve. All ranks decide
// alike, from numbers that all of them agree on, never from the backend.

namespace ashlar::impl {

/// Iterations between two checks: the number asked for, or as many as move some gigabytes: iterations that are enqueued
/// before the host knows of the end are wasted, and checks cost time. 1 if the host waits in each iteration anyway; a
/// kernel that ends by itself is checked seldom.
inline int interval_for(int asked, std::int64_t traffic_bytes, bool host_waits, bool ends_by_itself) {
  constexpr double bytes_worth_a_check = 4e9;
  if (asked > 0) return std::min(asked, most_between_checks);
  if (host_waits) return 1;
  const int most = ends_by_itself ? 512 : 16;
  if (traffic_bytes <= 0) return most;
  return static_cast<int>(
      std::clamp(bytes_worth_a_check * (ends_by_itself ? 100 : 1) / double(traffic_bytes), 1.0, double(most)));
}

/// True if the solve will still be running at this iteration, if the residual goes on falling as it does.
inline bool is_likely_running(const std::vector<double>& norms, const StoppingLimits& limits, int iteration) {
  if (iteration >= limits.max_iterations) return false;
  const std::size_t span = std::min<std::size_t>(norms.size() - 1, 32);
  if (span == 0) return false;
  const double now = norms.back(), before = norms[norms.size() - 1 - span];
  const double least = std::max({limits.target, limits.floor, 1e-300});
  if (!(now < before)) return true;
  const double left = double(span) * std::log(now / least) / std::log(before / now);
  return double(norms.size() - 1) + left >= double(iteration);
}

/// The host's checks of a method's progress: a check is a copy of the scalars, enqueued behind the iterations that it
/// is of. The host waits for it later, while the device goes on. Two may be pending.
template <execution_space Exec, class Memory>
class ProgressChecks {
 public:
  using Scalars = typename Memory::Scalars;

  explicit ProgressChecks(const Exec& exec) : slots_{Slot(exec), Slot(exec)} {}

  /// Enqueues a check of the progress, behind the work enqueued on `exec` so far.
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

/// Asks the monitor at the checks of a solve. All parts of the system agree on the answer, which takes a message: every
/// so many iterations.
class StopRequests {
 public:
  enum class Wish : int { none, checkpoint, stop };

  StopRequests(const Monitor& monitor, bool saves_checkpoints, int iterations_between)
      : monitor_(monitor),
        agrees_(monitor.may_stop() || saves_checkpoints),
        iterations_between_(iterations_between) {}

  /// The largest wish of all parts. Collective.
  template <class Space>
  Wish ask(const Space& space, int iterations, double residual, bool is_checkpoint_due = false) {
    wants_stop_ = monitor_.wants_stop(iterations, residual) || wants_stop_;
    if (!agrees_ || iterations < next_) return Wish::none;
    next_ = iterations + iterations_between_;
    return Wish(space.agree_max(int(wants_stop_ ? Wish::stop : is_checkpoint_due ? Wish::checkpoint : Wish::none)));
  }

 private:
  const Monitor& monitor_;
  bool agrees_, wants_stop_ = false;
  int iterations_between_, next_ = 0;
};

}  // namespace ashlar::impl
