#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/choice/choose_launch.hpp>
#include <ashlar/spmv/impl/choice/launch_widths.hpp>
#include <ashlar/spmv/impl/cpu/prefetch.hpp>
#include <ashlar/spmv/impl/launch/with_kernel.hpp>
#include <bit>
#include <limits>
#include <string>

namespace ashlar::impl {

namespace {

/// Entries of a segment: some tens of chunks for each lane of a wide group.
constexpr int entries_of_segment = 16384;

bool is_small_enough(const SpmvShape& shape) {
  return std::max(shape.block_shape.rows, shape.block_shape.cols) <= max_block_size;
}

/// serves(), where no other kernel stands in for this one.
bool serves_itself(Kernel kernel, const SpmvShape& shape, int width) {
  if (!is_small_enough(shape)) return false;
  return with_kernel(kernel, [&](auto k) {
    if (!(shape.many_vectors ? k.has_multi : k.has_single)) return false;
    if (shape.num_block_rows > k.most_block_rows || shape.num_cols > k.most_entries_of_x) return false;
    return k.has_lanes ? width <= k.widest(shape) && k.serves(shape, width) : k.serves(shape, 0);
  });
}

Kernel choose_kernel(const SpmvShape& shape, const SpmvDevice& device) {
  const Kernel chosen = first_kernel(AllKernels{}, [&](auto k) {
    return (device.is_gpu || k.for_cpus) && serves_itself(k.kernel, shape, 0) && k.runs_on(device) &&
           k.pays(shape, device);
  });
  return chosen == Kernel::automatic ? Kernel::block_row_per_thread : chosen;
}

/// The kernel that stands in for `kernel` where products are of this shape.
Kernel in_place(Kernel kernel, const SpmvShape& shape) {
  return with_kernel(kernel, [&](auto k) { return k.in_place(shape); });
}

[[noreturn]] void refuse(Kernel kernel, const SpmvShape& shape, int width) {
  const int b = std::max(shape.block_shape.rows, shape.block_shape.cols);
  const std::string size = text("block size ", to_string(shape.block_shape));
  if (b > max_block_size) {
    throw BlockSizeError(b, text("spmv: ", size), text("the kernels take blocks up to ", max_block_size),
                         "split the blocks: convert the matrix to a block size that divides this one");
  }
  with_kernel(kernel, [&](auto k) {
    if (shape.num_block_rows > k.most_block_rows) {
      throw ShapeError(text("spmv: kernel ", to_string(kernel), " on ", shape.num_block_rows, " block rows"),
                       "it counts block rows in 32 bits", "choose auto");
    }
    if (shape.num_cols > k.most_entries_of_x) {
      throw ShapeError(text("spmv: kernel ", to_string(kernel), " with ", shape.num_cols, " entries of x"),
                       "it counts them in 32 bits", "choose auto");
    }
  });
  const std::string why = with_kernel(kernel, [&](auto k) { return k.why_not(shape, width); });
  throw BlockSizeError(b, text("spmv: kernel ", to_string(kernel), " cannot take ", size), why,
                       "choose row_per_thread, or auto");
}

}  // namespace

CacheHint choose_cache_hint(const SpmvShape& shape, const SpmvDevice& device) {
  // A cache keeps less repeatedly read data than its size. The values lose some of it to the vectors.
  constexpr double most = 0.6, most_of_values = 0.4, taken_by_others = 0.9;
  const double cache = double(device.cache_bytes);
  if (cache == 0) return CacheHint();
  const double values = double(shape.num_blocks) * double(shape.block_shape.num_values()) * shape.value_bytes;
  const double entries = double(shape.num_block_rows) * shape.block_shape.rows + double(shape.num_cols);
  const double vectors = entries * vector_bytes_of(shape) * shape.num_vectors;
  // With the indices and, of a solver, as many vectors again.
  const double others = double(shape.traffic_bytes) - values + vectors;
  if (values + others <= most * cache) return CacheHint(CacheHint::parts);
  const double room = most_of_values * cache - taken_by_others * others;
  if (room <= 0) return CacheHint();
  return CacheHint(static_cast<int>(CacheHint::parts * room / values));  // there is not room for all
}

bool serves(Kernel kernel, const SpmvShape& shape, int width) {
  return kernel == Kernel::automatic ? is_small_enough(shape) : serves_itself(in_place(kernel, shape), shape, width);
}

SpmvLaunch choose_launch(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request) {
  const int width = request.width, tile_rows = request.tile_rows;
  if (width != 0 && !is_width(shape, device, width)) {
    throw ArgumentError(
        text("spmv: ", width, " lanes a block row"),
        text("it is a power of two up to ", device.warp, " here, or a multiple of that up to ", widest(shape)),
        "pass 0 to let the plan choose");
  }
  if (tile_rows < 0 || tile_rows > lanes_of_tile || (tile_rows > 0 && !std::has_single_bit(unsigned(tile_rows)))) {
    throw ArgumentError(text("spmv: ", tile_rows, " block rows a tile"),
                        text("it is a power of two up to ", lanes_of_tile), "pass 0 to let the plan choose");
  }
  if (const int ahead = request.prefetch_bytes.value_or(0); ahead < 0 || ahead > most_prefetch_bytes) {
    throw ArgumentError(text("spmv: values prefetched ", ahead, " bytes ahead"),
                        text("it is 0 to ", most_prefetch_bytes), "leave it out to let the plan choose");
  }
  const Kernel kernel =
      request.kernel == Kernel::automatic ? choose_kernel(shape, device) : in_place(request.kernel, shape);
  if (!serves_itself(kernel, shape, width)) refuse(kernel, shape, width != 0 ? width : widest(kernel, shape));
  SpmvLaunch launch = with_kernel(kernel, [&](auto k) { return k.launch(shape, device, request); });
  launch.kernel = kernel;
  launch.compiled_size = compiled_size_of(kernel, shape, device.is_gpu);
  return launch;
}

SpmvLaunch choose_multi_launch(SpmvShape shape, const SpmvDevice& device, Kernel kernel, int width) {
  shape.many_vectors = true;
  if (width > widest(shape)) width = 0;
  const bool runs = with_kernel(kernel, [&](auto k) { return k.runs_on(device); });
  if (!runs || !serves(kernel, shape, width)) kernel = Kernel::automatic;
  return choose_launch(shape, device, {kernel, kernel == Kernel::automatic ? 0 : width});
}

std::int64_t blocks_of_segment(const BlockShape& block_shape) {
  return std::max<std::int64_t>(1, entries_of_segment / block_shape.num_values());
}

SpmvLaunch choose_segment_launch(const SpmvShape& shape, std::int64_t num_segments, const SpmvDevice& device,
                                 const SpmvLaunch& launch, bool many_vectors) {
  SpmvShape segments = shape;
  segments.many_vectors = many_vectors;
  segments.longest_row = blocks_of_segment(shape.block_shape);
  segments.num_block_rows = num_segments;
  segments.num_blocks = segments.longest_row * num_segments;
  SpmvLaunch result = choose_launch(segments, device, {launch.kernel});
  result.prefetch_bytes = launch.prefetch_bytes;
  result.longest_row = std::numeric_limits<std::int64_t>::max();
  result.label = launch.label + "[long rows]";
  return result;
}

SpmvLaunch fallback_launch(const SpmvLaunch& launch, const BlockShape& block_shape, bool is_gpu, int warp) {
  SpmvShape shape;
  shape.block_shape = block_shape;
  SpmvDevice device;
  device.is_gpu = is_gpu;
  device.warp = warp;
  SpmvLaunch result = choose_launch(shape, device, {Kernel::row_per_thread});
  result.longest_row = launch.longest_row;
  result.label = launch.label;
  const std::string name = text("[", to_string(launch.kernel), ",");
  if (const auto at = result.label.find(name); at != std::string::npos) {
    result.label.replace(at, name.size(), text("[", to_string(result.kernel), ","));
  }
  return result;
}

}  // namespace ashlar::impl
