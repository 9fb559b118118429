#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>

namespace ashlar::impl {

/// Which of Kokkos' two levels of scratch memory groups use: on a GPU the multiprocessor's own; of a CPU the first has
/// 32 KiB, which is less than kernels for GPUs may ask for.
template <class Exec>
inline constexpr int scratch_level = is_gpu_v<Exec> ? 0 : 1;

/// How the threads of a team are grouped: `width` neighbours work on one thing together.
struct Grouping {
  int width = 1;        ///< lanes of a group
  int groups = 1;       ///< groups of a team; 1 on a CPU, and wherever a group is wider than a warp
  bool in_warp = true;  ///< whether a group lies within one warp or wavefront; its width is then a power of two
};

/// A group of lanes: on a GPU `width` consecutive threads of a team, on a CPU one thread that runs all lanes one after
/// another.
///
/// Lanes pass values to each other through scratch memory. After `for_each` returns, what one lane wrote is seen by
/// all of its group. Groups of one warp do not wait for each other, and one may leave early.
///
/// Width is the width of the grouping where that is compiled in, or 0.
template <class TeamMember, int Width = 0>
class Lanes {
 public:
  KOKKOS_INLINE_FUNCTION Lanes(const TeamMember& team, const Grouping& grouping) : team_(team), grouping_(grouping) {}

  KOKKOS_INLINE_FUNCTION int width() const { return Width > 0 ? Width : grouping_.width; }

  /// Which of all groups, over all teams, this is.
  KOKKOS_INLINE_FUNCTION std::int64_t group() const {
    return std::int64_t(team_.league_rank()) * grouping_.groups + group_of_team();
  }

  /// `count` scalars of scratch memory of this group's own; every group asks for as many.
  template <class Scalar>
  KOKKOS_INLINE_FUNCTION Scalar* scratch(int count) const {
    const std::size_t bytes = std::size_t(grouping_.groups) * count * sizeof(Scalar);
    constexpr int level = scratch_level<typename TeamMember::execution_space>;
    return static_cast<Scalar*>(team_.team_scratch(level).get_shmem(bytes)) + group_of_team() * count;
  }

  /// The same, aligned as Type is, for which there must be room. (By itself Kokkos aligns to 8 bytes.)
  template <class Type>
  KOKKOS_INLINE_FUNCTION Type* aligned_scratch(int count) const {
    const std::size_t bytes = std::size_t(grouping_.groups) * count * sizeof(Type);
    constexpr int level = scratch_level<typename TeamMember::execution_space>;
    void* const begin = team_.team_scratch(level).get_shmem_aligned(bytes, alignof(Type));
#if defined(__CUDA_ARCH__)
    __builtin_assume(__isShared(begin));  // loads need no check of which memory they are from
#endif
    return static_cast<Type*>(begin) + group_of_team() * count;
  }

  /// function(lane) for lane < count; count may be any number.
  template <class Function>
  KOKKOS_INLINE_FUNCTION void for_each(int count, const Function& function) const {
    KOKKOS_IF_ON_DEVICE((for (int lane = rank_in_group(); lane < count; lane += width()) function(lane); wait();))
    KOKKOS_IF_ON_HOST((for (int lane = 0; lane < count; ++lane) function(lane);))
  }

  /// function(lane) for each lane of the group, whose width is compiled in.
  template <class Function>
  KOKKOS_INLINE_FUNCTION void for_all(const Function& function) const {
    static_assert(Width > 0);
    KOKKOS_IF_ON_DEVICE((function(rank_in_group()); wait();))
    KOKKOS_IF_ON_HOST((for (int lane = 0; lane < Width; ++lane) function(lane);))
  }

  /// On GPUs, in a function that all lanes run together: waits for the other lanes, and sees their writes.
  KOKKOS_INLINE_FUNCTION void barrier() const { KOKKOS_IF_ON_DEVICE((wait();)) }

  /// The value of another lane of the group. On GPUs only, for a group within a warp, called by all lanes together.
  template <class Scalar>
  KOKKOS_INLINE_FUNCTION Scalar of_lane([[maybe_unused]] int lane, const Scalar& mine) const {
    static_assert(sizeof(Scalar) % sizeof(int) == 0);
    Scalar result = mine;
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    int words[sizeof(Scalar) / sizeof(int)];
    __builtin_memcpy(words, &mine, sizeof(Scalar));
    for (int& word : words) {
#if defined(__CUDA_ARCH__)
      word = __shfl_sync(warp_lanes(), word, lane, width());
#else
      word = __shfl(word, lane, width());
#endif
    }
    __builtin_memcpy(&result, words, sizeof(Scalar));
#endif
    return result;
  }

 private:
  KOKKOS_INLINE_FUNCTION int group_of_team() const {
    KOKKOS_IF_ON_DEVICE((return grouping_.groups == 1 ? 0 : team_.team_rank() / width();))
    KOKKOS_IF_ON_HOST((return 0;))
  }

  KOKKOS_INLINE_FUNCTION int rank_in_group() const {
    // The width of several groups is a power of two.
    return grouping_.groups == 1 ? team_.team_rank() : team_.team_rank() & (width() - 1);
  }

  KOKKOS_INLINE_FUNCTION void wait() const {
    // No warp or wavefront has fewer than 32 lanes.
    const bool in_warp = (Width > 0 && Width <= 32) || grouping_.in_warp;
    if (!in_warp) {
      team_.team_barrier();
      return;
    }
#if defined(__CUDA_ARCH__)
    __syncwarp(warp_lanes());
#elif defined(__HIP_DEVICE_COMPILE__)
    // The wavefront runs in lock step, but the compiler must be kept from moving the accesses.
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
#endif
  }

#if defined(__CUDA_ARCH__)
  /// The lanes of the warp that are of this group.
  __device__ unsigned warp_lanes() const {
    const int first = team_.team_rank() & (warpSize - 1) & ~(width() - 1);
    return (0xffffffffu >> (warpSize - width())) << first;
  }
#endif

  const TeamMember& team_;
  Grouping grouping_;
};

/// store(row, sum) for each row < `rows`, at the end of a group's work: the sum_of(row)-th sum over t < `summands` of
/// summand(k, t). First in a few parts at a time, so that more lanes have something to do; always in the same order.
///
/// of_part   scratch memory for a scalar of each lane.
template <class Scalar, class Lanes, class Summand, class SumOf, class Store>
KOKKOS_INLINE_FUNCTION void add_up(const Lanes& lanes, int rows, int summands, Scalar* of_part, const Summand& summand,
                                   const SumOf& sum_of, const Store& store) {
  const int wanted = summands >= 16 ? 4 : summands >= 4 ? 2 : 1;
  const int parts = wanted * rows <= lanes.width() ? wanted : 1;
  if (parts > 1) {
    lanes.for_each(parts * rows, [&](int lane) {
      const int part = lane / rows, k = lane - part * rows;
      Scalar sum(0);
      for (int t = part; t < summands; t += parts) sum += summand(k, t);
      of_part[lane] = sum;
    });
    lanes.for_each(rows, [&](int row) {
      const int k = sum_of(row);
      Scalar sum(0);
      for (int part = 0; part < parts; ++part) sum += of_part[part * rows + k];
      store(row, sum);
    });
  } else {
    lanes.for_each(rows, [&](int row) {
      const int k = sum_of(row);
      Scalar sum(0);
      for (int t = 0; t < summands; ++t) sum += summand(k, t);
      store(row, sum);
    });
  }
}

/// Adds up sum[0..Count-1] over the lanes of a group that are a multiple of Distance apart, and leaves each of those
/// n = Width / Distance lanes with some of the results: sum[j] of lane l := the total of sum[j*n + l/Distance], where
/// j*n + l/Distance < Count.
///
/// In each of the log2(n) steps a lane gives half of its sums to its partner and takes over the other half. All steps
/// together move little more than one step of an all-to-all sum, and lanes side by side can store the results. On GPUs,
/// with a compiled width; all lanes of the group call it together.
/// Source: recursive halving, Thakur, Rabenseifner & Gropp 2005.
template <int Count, int Distance, class TeamMember, int Width, class Scalar, int Size>
KOKKOS_INLINE_FUNCTION void reduce_scatter(const Lanes<TeamMember, Width>& lanes, int lane, Scalar (&sum)[Size]) {
  static_assert(Count <= Size && Width > 0 && (Width & (Width - 1)) == 0);
  static_assert(0 < Distance && Distance <= Width && (Distance & (Distance - 1)) == 0);
  if constexpr (Distance < Width) {
    // Exchanged in place: a choice between two entries would be taken as one of unknown index, and put into memory.
    if ((lane & Distance) != 0) {
      for (int i = 0; i + 1 < Count; i += 2) Kokkos::kokkos_swap(sum[i], sum[i + 1]);
    }
    for (int i = 0; i < Count; i += 2) {
      sum[i / 2] = sum[i] + lanes.of_lane(lane ^ Distance, i + 1 < Count ? sum[i + 1] : sum[i]);
    }
    constexpr int kept = (Count + 1) / 2;
    reduce_scatter<kept, 2 * Distance>(lanes, lane, sum);
  }
}

}  // namespace ashlar::impl
