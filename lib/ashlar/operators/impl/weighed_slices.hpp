#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/first_not_less.hpp>
#include <cstdint>

namespace ashlar::impl {

/// Slices of `rows_of_slice` block rows each, weighed by their blocks: row r has blocks row_begin[r] to
/// row_begin[r + 1] - 1.
struct WeighedSlices {
  const std::int32_t* row_begin;
  std::int64_t num_block_rows;
  int rows_of_slice;

  KOKKOS_FUNCTION int count() const { return int((num_block_rows + rows_of_slice - 1) / rows_of_slice); }

  /// Of all slices before this one.
  KOKKOS_FUNCTION std::int64_t weight_before(int slice) const {
    const std::int64_t row = std::int64_t(slice) * rows_of_slice;
    return row_begin[row < num_block_rows ? row : num_block_rows];
  }

  /// The first slice of share `number` of `shares` about equal ones; of the one behind the last, count().
  KOKKOS_FUNCTION int first_of_share(int number, int shares) const {
    if (number >= shares) return count();
    const std::int64_t wanted = weight_before(count()) * number / shares;
    return int(first_not_less([&](std::int64_t slice) { return weight_before(int(slice)); }, 0, count(), wanted));
  }
};

}  // namespace ashlar::impl
