#pragma once

#include <ashlar/multigrid/impl/step_kinds.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ashlar::multigrid::impl {

/// A level of so many cells or fewer is for one team: it waits for itself in less time than all teams for each other.
inline constexpr std::int64_t cells_of_one_team = 512;

/// A kernel of StepKernels as data, with the places that it is called for. A list of these in the memory of a device is
/// what one kernel goes through in a visit. (No member has an initialiser, so that it may lie in scratch memory.)
struct Step {
  static constexpr int most_bytes = 384;

  int kind;               ///< its place in StepKernels
  int is_for_one_team;    ///< so little that one team does it
  int all_meet_after_it;  ///< whether the threads of all teams do, or of that one
  int needs_none_before;  ///< whether it neither reads nor overwrites what the step before it does
  std::int64_t count;     ///< of places
  alignas(16) unsigned char kernel[most_bytes];
};

/// Steps first to end - 1 of a list.
struct StepRange {
  int first = 0, end = 0;
  bool is_for_one_team = false;  ///< all of them
};

template <class Kernel>
Step make_step(const Kernel& kernel, std::int64_t count, bool is_for_one_team) {
  static_assert(std::is_trivially_copyable_v<Kernel> && sizeof(Kernel) <= Step::most_bytes && alignof(Kernel) <= 16);
  Step step{};
  step.kind = step_kind<Kernel>();
  step.is_for_one_team = is_for_one_team ? 1 : 0;
  if constexpr (requires { Kernel::needs_none_before; }) step.needs_none_before = 1;
  step.count = count;
  std::memcpy(step.kernel, &kernel, sizeof(Kernel));
  return step;
}

}  // namespace ashlar::multigrid::impl
