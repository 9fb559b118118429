#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// Doubles for each team: enough for BottomInScratch with 5^3 cells, which needs more than a tile of RelaxInScratch.
inline constexpr int scratch_size_of_team = 3936;

/// How a team sends cells to other teams and receives theirs, in exchanges that all teams count alike. This is the form
/// for a single team, which synchronises between the two: the first word of a packet is the value itself.
struct ExchangeWithin {
  /// Counts further exchanges, one after another.
  KOKKOS_FUNCTION void begin(int) const {}
  template <class Real>
  KOKKOS_FUNCTION void send(Packet* to, Real value) const {
    to->words[0] = Kokkos::bit_cast<std::uint64_t>(double(value));
  }
  KOKKOS_FUNCTION double receive(const Packet* from) const { return Kokkos::bit_cast<double>(from->words[0]); }
};

/// The threads that run a kernel together, as one of them sees them: a team, or all teams of a grid. Subgroups of
/// `lanes` neighbours share work that is too little for all. `barrier()` is the barrier of a team. A wide team has at
/// least as many threads as a tile in scratch memory has cells (ScratchTiles), and one tile.
template <class Barrier, class Exchange = ExchangeWithin, bool wide = false>
struct ThreadGroup {
  static constexpr bool is_wide = wide;

  int rank, size;
  int team, num_teams;
  int thread, num_threads;  // of the team
  int lanes;                // divides `size`; neighbours in rank
  double* scratch;          // scratch_size_of_team of them, the team's own; on hosts there may be more
  Barrier barrier;
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

  KOKKOS_FUNCTION int subgroup() const { return rank / lanes; }
  KOKKOS_FUNCTION int num_subgroups() const { return size / lanes; }
  KOKKOS_FUNCTION int lane() const { return rank % lanes; }
};

/// The barrier of a Kokkos team.
template <class Team>
struct TeamBarrier {
  const Team& team;
  KOKKOS_FUNCTION void operator()() const { team.team_barrier(); }
};

/// work(group) by one team of Kokkos', which is all of the group.
template <execution_space Exec, class Work>
struct ByTeam {
  Work work;
  int scratch_bytes;

  /// On hosts level 0 is small.
  KOKKOS_FUNCTION static constexpr int scratch_level() { return is_gpu_v<Exec> ? 0 : 1; }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr int lanes = is_gpu_v<Exec> ? 32 : 1;
    void* const scratch = team.team_scratch(scratch_level()).get_shmem_aligned(scratch_bytes, sizeof(double));
    const int thread = team.team_rank(), size = team.team_size();
    work(ThreadGroup<TeamBarrier<Team>>{
        thread, size, 0, 1, thread, size, lanes, static_cast<double*>(scratch), {team}, {}});
  }
};

/// Launches it: with 256 threads on GPUs, on CPUs with `host_threads` or as many as a team may have there. The team has
/// room for `scratch_size` doubles.
///
/// Async    enqueued on `exec`; no fence, no allocation.
template <execution_space Exec, class Work>
void run_by_team(const char* label, const Exec& exec, const Work& work, int host_threads,
                 int scratch_size = scratch_size_of_team) {
  const ByTeam<Exec, Work> kernel{work, scratch_size * int(sizeof(double))};
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

/// How the members of a team add up terms that lie in scratch memory, or join them in another way: term n goes to part
/// n % count, term after term, and parts are joined in pairs. So the bits are the same for any number of threads. In a
/// wide team a part is a lane's, and each warp has all of them.
template <class Members>
class PartialSums {
 public:
  static constexpr int count = 32;

  /// `parts` is room for `count` numbers in scratch memory.
  KOKKOS_FUNCTION PartialSums(const Members& group, double* parts) : group_(group), parts_(parts) {}

  /// Adds the terms begin, begin + 1, ...; the first ones begin at 0, all others at a multiple of `count`. A barrier
  /// of the team comes before, after all terms are written.
  template <class Join>
  KOKKOS_FUNCTION void add(std::int64_t begin, const double* terms, int num_terms, const Join& join) {
    if constexpr (Members::is_wide) {
      // (A wide team's groups have as many lanes.)
      for (int n = group_.lane(); n < num_terms; n += count) of_lane_ = join(of_lane_, terms[n]);
    } else {
      for (int part = group_.thread; part < count; part += group_.num_threads) {
        double sum = begin == 0 ? 0 : parts_[part];
        for (int n = part; n < num_terms; n += count) sum = join(sum, terms[n]);
        parts_[part] = sum;
      }
    }
  }

  /// The sum of all terms, for each member. The memory of parts is free again after the next barrier of the team.
  template <class Join>
  KOKKOS_FUNCTION double all(const Join& join) const {
    if constexpr (Members::is_wide) {
      return group_.barrier.join_lanes(of_lane_, join);
    } else {
      group_.barrier();
      double sums[count];
      for (int n = 0; n < count; ++n) sums[n] = parts_[n];
      for (int half = count / 2; half > 0; half /= 2) {
        for (int n = 0; n < half; ++n) sums[n] = join(sums[n], sums[n + half]);
      }
      return sums[0];
    }
  }

 private:
  const Members& group_;
  double* parts_;
  double of_lane_ = 0;
};

}  // namespace ashlar::multigrid::impl
