#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <cstdint>

namespace ashlar::impl {

/// Block rows assigned to all warps of a grid, a few at a time. Several lanes may share an entry of a row, each with
/// some of the row's blocks. There are as many lanes as let the grid take all rows together, no more than the longest
/// row has blocks, and no more than 8, which multiply 16 blocks by two at a time.
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

  /// A lane's part of the rows that its warp takes from number `first` on.
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

/// Slices one after another no row of which has blocks in others' columns: those around the middle, as rows that have
/// some mostly are a rank's first and last ones.
struct InnerSlices {
  int begin = 0, end = 0;

  KOKKOS_FUNCTION bool has(int slice) const { return begin <= slice && slice < end; }

  /// Row r has blocks others_begin[r] to others_begin[r + 1] - 1 in others' columns.
  KOKKOS_FUNCTION static InnerSlices of(const std::int32_t* others_begin, std::int64_t num_block_rows,
                                        int rows_of_slice) {
    const auto before = [others_begin](std::int64_t row) { return others_begin[row]; };
    const std::int64_t middle = num_block_rows / 2, level = others_begin[middle];
    const std::int64_t first_row = first_not_less(before, 0, middle, level),
                       end_row = first_not_less(before, middle, num_block_rows + 1, level + 1) - 1;
    const std::int64_t last_slice = end_row < num_block_rows ? end_row : end_row + rows_of_slice - 1;
    return {int((first_row + rows_of_slice - 1) / rows_of_slice), int(last_slice / rows_of_slice)};
  }
};

}  // namespace ashlar::impl
