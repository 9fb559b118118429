#include <algorithm>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/block_row_entries.hpp>
#include <ashlar/spmv/impl/flat_product.hpp>
#include <ashlar/spmv/impl/launch_widths.hpp>

namespace ashlar::impl {

namespace {

bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace

bool is_width(const SpmvDevice& device, int width) {
  return width <= device.warp ? is_power_of_two(width) : width % device.warp == 0 && width <= widest;
}

std::vector<int> widths_of(const SpmvDevice& device) {
  std::vector<int> widths;
  for (int width = 4; width <= device.warp; width *= 2) widths.push_back(width);
  for (int warps = 2; warps * device.warp <= widest; warps += warps < 6 ? 1 : 2) widths.push_back(warps * device.warp);
  return widths;
}

int chunk_of(const SpmvShape& shape) {
  const int compiled = is_compiled_block_size(shape.block_size) ? shape.block_size : runtime_block_size;
  return entries_of_chunk(shape.value_bytes, compiled, shape.in_order);
}

int busy_lanes_of(Kernel kernel, const SpmvShape& shape, int width) {
  const int b = shape.block_size;
  if (kernel == Kernel::by_block) return busy_lanes(width, b * b, chunk_of(shape));
  if (kernel == Kernel::by_column) return busy_lanes(width, b, chunk_of(shape));
  return width;
}

double average_row(const SpmvShape& shape) {
  return shape.num_block_rows > 0 ? double(shape.num_blocks) / double(shape.num_block_rows) : 0;
}

double chunks_a_lane(Kernel kernel, const SpmvShape& shape, int width) {
  const double entries = average_row(shape) * shape.block_size * shape.block_size;
  return std::max(1.0, entries / chunk_of(shape)) / std::max(busy_lanes_of(kernel, shape, width), 1);
}

}  // namespace ashlar::impl
