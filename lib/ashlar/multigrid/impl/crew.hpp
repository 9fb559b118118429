#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// Doubles that each team has: what BottomInScratch takes of 5^3 cells, which is more than a tile of RelaxInScratch.
inline constexpr int crew_scratch_size = 3936;

/// How a team sends cells to other teams and receives theirs, in exchanges that all teams count alike. This is the form
/// for a single team, which synchronises between the two: the first word of a packet is the value itself.
struct ExchangeWithin {
  /// So many exchanges more, one after another.
  KOKKOS_FUNCTION void begin(int) const {}
  template <class Real>
  KOKKOS_FUNCTION void send(Packet* to, Real value) const {
    to->words[0] = Kokkos::bit_cast<std::uint64_t>(double(value));
  }
  KOKKOS_FUNCTION double receive(const Packet* from) const { return Kokkos::bit_cast<double>(from->words[0]); }
};

/// The threads that do a step together, as one of them sees them: a team, or all teams of a grid. Groups of `lanes`
/// neighbours share what is too little for all. `meet()` is called where the threads of a team wait for each other. A
/// team that is wide has at least as many threads as a tile in scratch memory has cells (ScratchTiles), and one tile.
template <class Meet, class Exchange = ExchangeWithin, bool wide = false>
struct Crew {
  static constexpr bool is_wide = wide;

  int rank, size;
  int team, num_teams;
  int thread, num_threads;  // of the team
  int lanes;                // divides `size`; neighbours in rank
  double* scratch;          // crew_scratch_size of them, the team's own; on hosts there may be more
  Meet meet;
  Exchange exchange;

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

/// work(crew) by one team of Kokkos', which is all of the crew.
template <execution_space Exec, class Work>
struct AtCrew {
  Work work;
  int scratch_bytes;

  /// On hosts level 0 is small.
  KOKKOS_FUNCTION static constexpr int scratch_level() { return is_gpu_v<Exec> ? 0 : 1; }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr int lanes = is_gpu_v<Exec> ? 32 : 1;
    void* const scratch = team.team_scratch(scratch_level()).get_shmem_aligned(scratch_bytes, sizeof(double));
    const int thread = team.team_rank(), size = team.team_size();
    work(Crew<MeetAsTeam<Team>>{thread, size, 0, 1, thread, size, lanes, static_cast<double*>(scratch), {team}, {}});
  }
};

/// Launches it: with 256 threads on GPUs, on CPUs with `host_threads` or as many as a team may have there. The team has
/// room for `scratch_size` doubles.
///
/// Async    enqueued on `exec`; no fence, no allocation.
template <execution_space Exec, class Work>
void run_by_crew(const char* label, const Exec& exec, const Work& work, int host_threads,
                 int scratch_size = crew_scratch_size) {
  const AtCrew<Exec, Work> kernel{work, scratch_size * int(sizeof(double))};
  const auto policy = [&](int size) {
    return Kokkos::TeamPolicy<Exec>(exec, 1, size)
        .set_scratch_size(kernel.scratch_level(), Kokkos::PerTeam(kernel.scratch_bytes + 16));
  };
  int size = 256;
  if constexpr (!is_gpu_v<Exec>) {
    size = std::min(host_threads, policy(1).team_size_max(kernel, Kokkos::ParallelForTag()));
  }
  Kokkos::parallel_for(label, policy(size), kernel);
}

}  // namespace ashlar::multigrid::impl
