#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/spmv/impl/lanes.hpp>
#include <ashlar/spmv/impl/spmv_launch.hpp>
#include <cstdint>
#include <string>

namespace ashlar::impl {

/// A team kernel over `num_groups` groups of lanes, with scratch_bytes for each.
///
/// MaxThreads bounds the threads of a team, and with MinTeams, of which so many are to be on a multiprocessor at a
/// time, the registers of a thread: on NVIDIA GPUs to 65536 / (MaxThreads * MinTeams).
template <int MaxThreads, int MinTeams, class Exec, class Functor>
void launch_teams(const Exec& exec, const std::string& label, const Grouping& grouping, std::int64_t num_groups,
                  std::size_t scratch_bytes, const Functor& functor) {
  const int teams = static_cast<int>((num_groups + grouping.groups - 1) / grouping.groups);
  // On a CPU one thread plays all lanes.
  Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<MaxThreads, MinTeams>> policy(
      exec, teams, is_gpu_v<Exec> ? grouping.groups * grouping.width : 1, 1);
  policy.set_scratch_size(scratch_level<Exec>, Kokkos::PerTeam(grouping.groups * scratch_bytes));
  Kokkos::parallel_for(label, policy, functor);
}

/// The same, grouped as the plan has it.
template <int MaxThreads, int MinTeams, class Exec, class Functor>
void launch_teams(const Exec& exec, const SpmvLaunch& launch, std::int64_t num_groups, std::size_t scratch_bytes,
                  const Functor& functor) {
  launch_teams<MaxThreads, MinTeams>(exec, launch.label, launch.grouping, num_groups, scratch_bytes, functor);
}

}  // namespace ashlar::impl
