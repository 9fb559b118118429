#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/spmv/impl/lanes.hpp>

namespace ashlar::impl {

/// Adds up sum[0..Count-1] over the lanes of a group that are a multiple of Distance apart, and leaves each of those
/// n = Width / Distance lanes with some of the results: sum[j] of lane l := the total of sum[j*n + l/Distance], where
/// j*n + l/Distance < Count.
///
/// In each of the log2(n) steps a lane gives half of what it has left to its partner and takes over the other half, so
/// that all steps together move little more than one step of an all-to-all sum, and the results can be stored by
/// lanes side by side. On GPUs, with a width that is compiled in; all lanes of the group call it together.
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
