#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <cstdint>

namespace ashlar::impl {

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
