#include <algorithm>
#include <ashlar/spmv/impl/launch_widths.hpp>
#include <ashlar/spmv/impl/tuning_class.hpp>

namespace ashlar::impl {

std::int64_t block_rows_class(std::int64_t block_rows) {
  std::int64_t from = 1;
  while (from < last_block_rows_class && 4 * from <= block_rows) from *= 4;
  return from;
}

std::int64_t row_blocks_class(const SpmvShape& shape) {
  const double average = average_row(shape);
  if (average < 1) return 0;
  std::int64_t from = 1;
  while (2 * double(from) <= average) from *= 2;
  return from;
}

std::string_view spread_class(const SpmvShape& shape) {
  const double ratio = double(shape.longest_row) / std::max(average_row(shape), 1.0);
  return spreads[ratio <= 2 ? 0 : ratio <= 16 ? 1 : 2];
}

TuningKey tuning_class(const SpmvShape& shape) {
  TuningKey key;
  key.block_shape = shape.block_shape;
  key.block_rows_from = block_rows_class(shape.num_block_rows);
  key.row_blocks_from = row_blocks_class(shape);
  key.spread = spread_class(shape);
  return key;
}

}  // namespace ashlar::impl
