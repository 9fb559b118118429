#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// Doubles: what BottomInScratch takes of 5^3 cells, and a little more than two vectors of 8^3 cells with two layers of
/// ghost cells.
inline constexpr int crew_scratch_size = 3776;

/// The threads that do a step together, as one of them sees them: a team, or all teams of a grid. Groups of `lanes`
/// neighbours share what is too little for all. `meet()` is called where the threads of a team wait for each other.
template <class Meet>
struct Crew {
  int rank, size;
  int lanes;        // divides `size`; neighbours in rank
  double* scratch;  // crew_scratch_size of them, the team's own
  Meet meet;

  /// The scratch memory as numbers of another type, which take no more.
  template <class Real>
  KOKKOS_FUNCTION Real* scratch_of() const {
    static_assert(sizeof(Real) <= sizeof(double));
    return reinterpret_cast<Real*>(scratch);
  }

  /// work(i) for each i < count, once by one of them.
  template <class Work>
  KOKKOS_FUNCTION void share(std::int64_t count, const Work& work) const {
    for (std::int64_t i = rank; i < count; i += size) work(i);
  }

  KOKKOS_FUNCTION int group() const { return rank / lanes; }
  KOKKOS_FUNCTION int num_groups() const { return size / lanes; }
  KOKKOS_FUNCTION int lane() const { return rank % lanes; }
};

/// How threads of a team of Kokkos' meet.
template <class Team>
struct MeetAsTeam {
  const Team& team;
  KOKKOS_FUNCTION void operator()() const { team.team_barrier(); }
};

/// One of a team of Kokkos', with scratch memory of level 0.
template <class Exec, class Team>
KOKKOS_FUNCTION Crew<MeetAsTeam<Team>> crew_of(const Team& team) {
  constexpr int lanes = is_gpu_v<Exec> ? 32 : 1;
  void* const scratch = team.team_scratch(0).get_shmem_aligned(crew_scratch_size * sizeof(double), sizeof(double));
  return {team.team_rank(), team.team_size(), lanes, static_cast<double*>(scratch), {team}};
}

/// work(crew) by one team of Kokkos'.
template <execution_space Exec, class Work>
struct AtCrew {
  Work work;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    work(crew_of<Exec>(team));
  }
};

/// Launches it: with 256 threads on GPUs, on CPUs with `host_threads` or as many as a team may have there.
///
/// Async    enqueued on `exec`; no fence, no allocation.
template <execution_space Exec, class Work>
void run_by_crew(const char* label, const Exec& exec, const Work& work, int host_threads) {
  const AtCrew<Exec, Work> kernel{work};
  const auto policy = [&](int size) {
    constexpr int bytes = crew_scratch_size * int(sizeof(double)) + 16;
    return Kokkos::TeamPolicy<Exec>(exec, 1, size).set_scratch_size(0, Kokkos::PerTeam(bytes));
  };
  int size = 256;
  if constexpr (!is_gpu_v<Exec>) {
    size = std::min(host_threads, policy(1).team_size_max(kernel, Kokkos::ParallelForTag()));
  }
  Kokkos::parallel_for(label, policy(size), kernel);
}

}  // namespace ashlar::multigrid::impl
