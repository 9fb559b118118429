#include <algorithm>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/block_row_entries.hpp>
#include <ashlar/spmv/impl/compiled_size.hpp>
#include <ashlar/spmv/impl/flat_product.hpp>
#include <ashlar/spmv/impl/launch_widths.hpp>
#include <bit>

namespace ashlar::impl {

int widest(const SpmvShape& shape) {
  if (!shape.many_vectors) return 1024;
  // A lane's chunk of smaller values may be multiplied by vectors of doubles.
  return shape.value_bytes <= 4 ? 128 : 256;
}

int widest(Kernel kernel, const SpmvShape& shape) {
  // Each lane of by_line has several sums in scratch memory.
  if (kernel == Kernel::by_line) return 256;
  if (block_parts_of(kernel, shape).is_served()) return widest_by_block_rows;
  if (shape.many_vectors || (kernel != Kernel::by_block && kernel != Kernel::by_column)) return widest(shape);
  // A lane of the others has a chunk of sums there, one partial sum, and what Kokkos keeps for it; the vectors may be
  // of doubles though the plan was not told.
  constexpr int bytes_of_team = 48 * 1024, bytes_of_kokkos_lane = 8, bytes_of_kokkos_team = 16;
  const int bytes_of_lane = (entries_at_a_time(kernel, shape) + 1) * std::max(shape.value_bytes, 8);
  const int lanes = (bytes_of_team - bytes_of_kokkos_team) / (bytes_of_lane + bytes_of_kokkos_lane);
  return std::min(widest(shape), lanes / 64 * 64);
}

bool is_width(const SpmvShape& shape, const SpmvDevice& device, int width) {
  if (width < 1 || width > widest(shape)) return false;
  return width <= device.warp ? std::has_single_bit(unsigned(width)) : width % device.warp == 0;
}

std::vector<int> widths_of(const SpmvShape& shape, const SpmvDevice& device) {
  std::vector<int> widths;
  for (int width = 4; width <= device.warp; width *= 2) widths.push_back(width);
  for (int warps = 2; warps * device.warp <= widest(shape); warps += warps < 6 ? 1 : 2) {
    widths.push_back(warps * device.warp);
  }
  return widths;
}

int vector_bytes_of(const SpmvShape& shape) {
  return shape.double_vectors ? std::max(shape.value_bytes, 8) : shape.value_bytes;
}

LineParts line_parts_of(const SpmvShape& shape) {
  if (shape.many_vectors || !is_compiled(shape.block_shape)) return {};
  return line_parts(shape.block_shape.rows, shape.value_bytes, vector_bytes_of(shape), shape.by_columns);
}

BlockParts block_parts_of(Kernel kernel, const SpmvShape& shape) {
  if (kernel != Kernel::by_block || shape.many_vectors || shape.by_columns || !is_compiled(shape.block_shape))
    return {};
  return block_parts(shape.block_shape.rows, shape.value_bytes);
}

int compiled_size_of(Kernel kernel, const SpmvShape& shape, bool is_gpu) {
  if (!is_compiled(shape.block_shape)) return runtime_block_size;
  if (shape.many_vectors) return kernel == Kernel::by_line ? shape.block_shape.rows : runtime_block_size;
  return compiled_size(kernel, shape.block_shape.rows, shape.value_bytes, shape.by_columns, is_gpu);
}

int entries_at_a_time(Kernel kernel, const SpmvShape& shape) {
  if (kernel == Kernel::by_line) return shape.many_vectors ? shape.block_shape.rows : line_parts_of(shape).height;
  if (const BlockParts parts = block_parts_of(kernel, shape); parts.is_served()) return parts.load;
  return entries_of_chunk(shape.value_bytes, compiled_size_of(kernel, shape, true), shape.in_order);
}

int busy_lanes_of(Kernel kernel, const SpmvShape& shape, int width) {
  const auto [rows, cols] = shape.block_shape;
  if (const BlockParts parts = block_parts_of(kernel, shape); parts.is_served()) return parts.busy_lanes(width);
  if (kernel == Kernel::by_block) return busy_lanes(width, rows * cols, entries_at_a_time(kernel, shape));
  if (kernel == Kernel::by_column) return busy_lanes(width, rows, entries_at_a_time(kernel, shape));
  if (kernel == Kernel::by_line && !shape.many_vectors) {
    const LineParts line = line_parts_of(shape);
    return line.is_served() ? line.busy_lanes(width) : 0;
  }
  return width;
}

double average_row(const SpmvShape& shape) {
  return shape.num_block_rows > 0 ? double(shape.num_blocks) / double(shape.num_block_rows) : 0;
}

double chunks_of_row(Kernel kernel, const SpmvShape& shape) {
  return std::max(1.0, average_row(shape) * double(shape.block_shape.num_values()) / entries_at_a_time(kernel, shape));
}

double chunks_a_lane(Kernel kernel, const SpmvShape& shape, int width) {
  return chunks_of_row(kernel, shape) / std::max(busy_lanes_of(kernel, shape, width), 1);
}

}  // namespace ashlar::impl
