#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <cstddef>

namespace ashlar {

/// A team of threads that takes one place in a league after another: what functors for teams see of it is as of Kokkos'
/// own teams. So what a team does for its rows is one device function, whether teams come as a TeamPolicy has them, in
/// a loop, or in a kernel of the backend's own.
///
/// Barrier is called when the threads of the team wait for each other. Scratch memory is the same at each place:
/// synchronise the threads before the team takes the next place.
template <execution_space Exec, class Barrier>
class VirtualTeam {
 public:
  using execution_space = Exec;

  /// Scratch memory that begins at the same address whenever it is asked for.
  class Scratch {
   public:
    KOKKOS_INLINE_FUNCTION explicit Scratch(char* begin) : begin_(begin) {}
    KOKKOS_INLINE_FUNCTION void* get_shmem(std::size_t) const { return begin_; }
    KOKKOS_INLINE_FUNCTION void* get_shmem_aligned(std::size_t, std::size_t) const { return begin_; }

   private:
    char* begin_;
  };

  /// `scratch` is aligned to 16 bytes.
  KOKKOS_INLINE_FUNCTION VirtualTeam(int league_rank, int team_rank, char* scratch, const Barrier& barrier)
      : league_rank_(league_rank), team_rank_(team_rank), scratch_(scratch), barrier_(barrier) {}

  KOKKOS_INLINE_FUNCTION int league_rank() const { return league_rank_; }
  KOKKOS_INLINE_FUNCTION int team_rank() const { return team_rank_; }
  KOKKOS_INLINE_FUNCTION void team_barrier() const { barrier_(); }
  KOKKOS_INLINE_FUNCTION Scratch team_scratch(int) const { return Scratch(scratch_); }

 private:
  int league_rank_, team_rank_;
  char* scratch_;
  const Barrier& barrier_;
};

}  // namespace ashlar
