#pragma once

#include <Kokkos_Macros.hpp>
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

/// What a slice holds: blocks begin to end - 1 of the matrix, or diagonals.
struct SliceExtent {
  std::int32_t begin = 0, end = 0;
};

}  // namespace ashlar::impl
