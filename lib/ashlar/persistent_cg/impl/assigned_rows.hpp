#pragma once

#include <Kokkos_Core.hpp>

namespace ashlar::impl {

/// Block rows dealt to all warps of a grid, a few at a time. Several lanes may share an entry of a row, each with some
/// of the row's blocks: as many lanes as let the grid take all rows at once, no more than the longest row has blocks,
/// and no more than 8, which multiply 16 blocks by two at a time.
struct AssignedRows {
  int count;       ///< block rows, those with most blocks first
  int log2_lanes;  ///< of an entry

  /// Where the longest has so many blocks.
  KOKKOS_FUNCTION static AssignedRows of(int count, int longest, int block_size, int num_warps) {
    AssignedRows rows{count, 0};
    const auto fits = [&](int log2_lanes) {
      return (1 << log2_lanes) <= longest && count <= (32 >> log2_lanes) / block_size * num_warps;
    };
    while (rows.log2_lanes < 3 && fits(rows.log2_lanes + 1)) ++rows.log2_lanes;
    return rows;
  }

  /// Lanes that share an entry.
  KOKKOS_FUNCTION int lanes() const { return 1 << log2_lanes; }
  /// Of a warp, at a time.
  KOKKOS_FUNCTION int rows_of_warp(int block_size) const { return (32 >> log2_lanes) / block_size; }

  /// What a lane has of the rows that its warp takes from number `first` on.
  struct Part {
    int number;  ///< the block row's; -1: none
    int row;     ///< of the block row
    int share;   ///< of its blocks, of lanes()
  };
  KOKKOS_FUNCTION Part part(int first, int lane, int block_size) const {
    const int lanes_of_share = 32 >> log2_lanes, place = lane % lanes_of_share, number = first + place / block_size;
    const bool is_there = place / block_size < rows_of_warp(block_size) && number < count;
    return {is_there ? number : -1, place % block_size, lane / lanes_of_share};
  }
};

}  // namespace ashlar::impl
