#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/row_ranges.hpp>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace ashlar {

/// Which subdivisions are smaller than the others: what nothing hides, the first copy or the products with the last
/// subdivision, is then little.
enum class Taper {
  none,   ///< all have about as many blocks
  front,  ///< they grow from the first on: for products that take longer than copies
  back,   ///< they shrink towards the last: for copies that take longer than products
  both
};

/// "front": the name in options and results.
std::string to_string(Taper taper);

/// Block rows that follow each other, and their blocks, with which they are sent.
struct Subdivision {
  /// Blocks are sent from a multiple of this on: so that values keep their place within what kernels load at a time,
  /// and each row gets the bits that it gets from the whole matrix.
  static constexpr std::int64_t alignment = 16;

  std::int64_t first_row = 0, num_rows = 0;
  std::int64_t first_block = 0, num_blocks = 0;

  /// The first block that is sent, of the row before maybe.
  std::int64_t first_sent() const { return first_block / alignment * alignment; }
  /// Blocks that are sent.
  std::int64_t num_sent() const { return first_block + num_blocks - first_sent(); }
};

/// How large each of `count` subdivisions is, in units: where they are tapered, they grow by a quarter from one to the
/// next, up to eight times. While they grow a product still takes as long as the next copy, where products are the
/// bound by as much; while they shrink, where copies are. (Of more than 1024 the ends matter little: those are equal.)
std::vector<int> subdivision_units(int count, Taper taper);

/// Cuts block rows into `count` subdivisions of about as much work (row_ranges) as their units say; some are empty
/// where there are fewer block rows. A cut lies within half a block row of where it should be; or at the next multiple
/// of `rows_together`, where kernels take so many block rows together, counted from the first.
///
/// Async    reads row_ptr on the calling thread: wait for what writes it before.
template <class RowPtr>
std::vector<Subdivision> subdivide(const RowPtr& row_ptr, const BlockShape& block_shape, int count,
                                   Taper taper = Taper::none, std::int64_t rows_together = 1) {
  std::vector<Subdivision> result(count);
  if (row_ptr.extent(0) == 0) return result;
  const std::int64_t num_rows = std::int64_t(row_ptr.extent(0)) - 1;
  const std::vector<int> units = subdivision_units(count, taper);
  const int all_units = std::accumulate(units.begin(), units.end(), 0);
  const RowRanges first_row = row_ranges(Kokkos::DefaultHostExecutionSpace(), row_ptr, block_shape, all_units);
  std::int64_t begin = 0;
  for (int k = 0, unit = 0; k < count; ++k) {
    unit += units[k];
    const std::int64_t nearest = (first_row(unit) + rows_together / 2) / rows_together * rows_together;
    const std::int64_t end = k == count - 1 ? num_rows : std::min(nearest, num_rows);
    const std::int64_t first_block = row_ptr(begin), last_block = row_ptr(end);
    result[k] = {begin, end - begin, first_block, last_block - first_block};
    begin = end;
  }
  return result;
}

/// The same with the first `count` subdivisions as one.
inline std::vector<Subdivision> with_first_as_one(const std::vector<Subdivision>& subdivisions, int count) {
  if (count < 2) return subdivisions;
  std::vector<Subdivision> result(subdivisions.begin() + (count - 1), subdivisions.end());
  const Subdivision last = result.front();
  result.front() = {0, last.first_row + last.num_rows, 0, last.first_block + last.num_blocks};
  return result;
}

/// The last block rows with about this share of all blocks, no more: from the first row on that leaves so many, or the
/// next multiple of `rows_together` as in subdivide().
///
/// Async    reads row_ptr on the calling thread.
template <class RowPtr>
Subdivision last_block_rows(const RowPtr& row_ptr, double share, std::int64_t rows_together = 1) {
  if (row_ptr.extent(0) == 0) return {};
  const std::int64_t num_rows = std::int64_t(row_ptr.extent(0)) - 1;
  std::int64_t first = share >= 1 ? 0 : num_rows;
  if (share > 0 && share < 1) {
    const auto wanted = static_cast<std::int64_t>((1 - share) * double(row_ptr(num_rows)));
    const auto* const list = row_ptr.data();
    const std::int64_t row = std::lower_bound(list, list + num_rows, wanted) - list;
    first = std::min((row + rows_together - 1) / rows_together * rows_together, num_rows);
  }
  const std::int64_t begin = row_ptr(first), end = row_ptr(num_rows);
  return {first, num_rows - first, begin, end - begin};
}

}  // namespace ashlar
