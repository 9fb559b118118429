#pragma once

#include <Kokkos_Core.hpp>
#include <mutex>

namespace ashlar::testing::thread_ranks {

/// Ranks run one at a time where Kokkos counts copies of its views and instances without atomics, as one without
/// threads may: it allows no others beside. A rank has the turn while it runs, and ends it where it waits for others.
/// Take it with no other mutex held.
class Turn {
 public:
  static void take() {
    if constexpr (matters) mutex_.lock();
  }
  static void end() {
    if constexpr (matters) mutex_.unlock();
  }

 private:
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
  static constexpr bool matters = true;
#else
  static constexpr bool matters = false;
#endif
  inline static std::mutex mutex_;
};

}  // namespace ashlar::testing::thread_ranks
