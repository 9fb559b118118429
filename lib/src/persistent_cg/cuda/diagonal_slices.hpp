#pragma once

#include <Kokkos_Macros.hpp>
#include <ashlar/persistent_cg/one_device.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::impl {

/// How slices of a matrix lie in shared memory, warp after warp, stage after stage: values, columns (or offsets of
/// diagonals), row pointers.
struct SliceRoom {
  static constexpr int granule = 16;  ///< bytes, of which copies are made

  int stages = 0;                                        ///< slices of a warp that are there, or in flight
  int value_bytes = 0, column_bytes = 0, row_bytes = 0;  ///< of the largest slice, whole granules

  KOKKOS_FUNCTION int stage_bytes() const { return value_bytes + column_bytes + row_bytes; }
  KOKKOS_FUNCTION std::size_t barrier_bytes(int warps) const {
    return (std::size_t(warps) * stages * sizeof(std::uint64_t) + 127) / 128 * 128;
  }
  KOKKOS_FUNCTION std::size_t bytes(int warps) const {
    return barrier_bytes(warps) + std::size_t(warps) * stages * stage_bytes();
  }
};

/// The contents of a slice: blocks begin to end - 1 of the matrix, or diagonals.
struct SliceExtent {
  std::int32_t begin = 0, end = 0;
};

}  // namespace ashlar::impl

#ifdef KOKKOS_ENABLE_CUDA
#include "async_copies.hpp"

namespace ashlar::impl {

/// The values of a diagonal in a slice.
inline constexpr int rows_of_diagonal = 32;

/// Where the offsets of a slice begin, whose first diagonal is number `begin`: a multiple of a granule's entries,
/// behind the offsets of the slices before and their numbers.
KOKKOS_FUNCTION inline std::int64_t place_of_offsets(std::int64_t slice, std::int32_t begin) {
  constexpr int entries = SliceRoom::granule / 4;
  return ((std::int64_t(begin) + entries - 1) / entries + slice) * entries;
}

/// Whole granules that hold the offsets of so many diagonals, and their number.
KOKKOS_FUNCTION inline int offset_bytes(int diagonals) {
  return ((diagonals + 1) * 4 + SliceRoom::granule - 1) / SliceRoom::granule * SliceRoom::granule;
}

/// A copy of a matrix of single values in slices of 32 rows, each by its diagonals: entries of a slice that are equally
/// far from the main diagonal have 32 places beside each other, a 0 where a row has none. So there is one column for 32
/// values, and lanes load neighbouring values and neighbouring x. Where rows are numbered along a grid slices have
/// hardly more diagonals than rows have entries, whatever the stencil.
///
/// Diagonals are numbered through all slices, and ascend in each. Slice s has diagonals begin[s] to begin[s + 1] - 1.
/// In `offsets`, at place_of_offsets(s, begin[s]), are their number and how far each is above the main diagonal.
///
/// Source   Sun, Zhang, Wang, Zhang & Li 2011, Optimizing sparse matrix-vector multiplication for diagonal sparse
///          matrices on GPU; Monakov, Lokhmotov & Avetisyan 2010, Automatically tuning sparse matrix-vector
///          multiplication for GPU architectures (slices).
///
/// A lane loads x of `in_flight` diagonals before it uses the first.
template <class V, class L, int in_flight>
struct DiagonalSlices {
  using Value = V;
  using Scalar = V;
  using Layout = L;  ///< of blocks in others' columns
  static constexpr int block_size = 1, lanes_of_row = 1, rows_of_slice = rows_of_diagonal;
  static constexpr int most_threads = 768, most_stages = 2;

  SpmvArguments<Value, Value, std::int32_t, std::int32_t> a;
  const std::int32_t *begin = nullptr, *offsets = nullptr;
  const Value* values = nullptr;

  /// The diagonals of a slice.
  __device__ SliceExtent extent_of(int slice) const { return {begin[slice], begin[slice + 1]}; }

  /// One lane: has it copied.
  __device__ void copy(int slice, const SliceExtent& diagonals, char* to, const SliceRoom& room,
                       ArrivalBarrier& barrier) const {
    const int count = diagonals.end - diagonals.begin;
    const unsigned value_bytes = unsigned(count) * rows_of_slice * sizeof(Value), more = offset_bytes(count);
    barrier.arrive_and_expect(value_bytes + more);
    const std::uint64_t policy = a.hint.policy();
    if (value_bytes > 0) {
      barrier.copy(to, values + std::int64_t(diagonals.begin) * rows_of_slice, value_bytes, policy);
    }
    barrier.copy(to + room.value_bytes, offsets + place_of_offsets(slice, diagonals.begin), more, policy);
  }

  /// The row of a slice that multiply() gives a lane.
  static __device__ int row_of(int lane) { return lane; }

  /// A lane's row of the slice, which has come to `at`, times x.
  __device__ Value multiply(int slice, const char* at, const SliceRoom& room, int lane) const {
    const auto* const above = reinterpret_cast<const std::int32_t*>(at + room.value_bytes);
    const auto* const of_row = reinterpret_cast<const Value*>(at) + lane;
    const int count = *above, row = slice * rows_of_slice + lane;
    const auto num_cols = static_cast<unsigned>(a.num_block_rows);
    Value sum(0);
    for (int j = 0; j < count; j += in_flight) {
      Value x[in_flight];
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        const int col = j + u < count ? row + above[1 + j + u] : -1;
        x[u] = static_cast<unsigned>(col) < num_cols ? a.x[col] : Value(0);
      }
      issue_loads();
#pragma unroll
      for (int u = 0; u < in_flight; ++u) {
        if (j + u < count) sum += of_row[(j + u) * rows_of_slice] * x[u];
      }
    }
    return sum;
  }
};

}  // namespace ashlar::impl
#endif
