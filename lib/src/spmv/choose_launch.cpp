#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/choose_launch.hpp>
#include <ashlar/spmv/impl/flat_product.hpp>
#include <ashlar/spmv/impl/launch_widths.hpp>
#include <ashlar/spmv/impl/prefetch.hpp>
#include <ashlar/spmv/impl/staged_tuning.hpp>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace ashlar::impl {

namespace {

/// Threads of a team whose groups lie within warps: enough block rows in one to fill a multiprocessor with few teams.
constexpr int threads_of_team = 128;
static_assert(threads_of_team == staged_threads);

/// Columns of a block row that are worth a warp of their own in products with several vectors.
constexpr double columns_of_warp = 128;

/// Chunks that a lane should read of a block row of average length: the sum over the lanes at its end is then a small
/// part of its work, and the lanes of one multiprocessor still have enough under way (measured on an H200). Of blocks
/// that are dealt row by row, as many bytes.
constexpr double chunks_of_lane = 50, bytes_of_lane = 16 * chunks_of_lane;

/// The most chunks that a lane reads of one block row, before longer ones are cut into segments.
constexpr int most_chunks_of_lane = 128;

/// Entries of a segment: some tens of chunks for each lane of a wide group.
constexpr int entries_of_segment = 16384;

/// Values of a tile for each lane, twice as many of floats (measured on an H200), and how much above the average of
/// tiles is held at once.
constexpr double values_of_tile_lane[] = {0, 13.5, 27}, values_of_indirect_tile_lane = 3.5, tile_margin = 1.06;

/// The longest block row that a tile may have: it counts the entries of all its rows in 32 bits.
constexpr std::int64_t longest_row_of_tile = (std::int64_t(1) << 31) / (4 * lanes_of_tile) - 1;

/// With fewer threads than this a device is mostly idle, and what counts is how soon the last is done (measured on an
/// H200).
double enough_threads(const SpmvDevice& device) { return double(device.threads) / 8; }

/// Warps that share the columns of a block row: more than one where there are few block rows, or long ones.
int choose_warps(const SpmvShape& shape, const SpmvDevice& device) {
  const double columns = average_row(shape) * shape.block_shape.cols;
  int warps = 1;
  while (warps < 8 && columns > columns_of_warp * warps &&
         double(shape.num_block_rows) * warps * device.warp < double(device.threads)) {
    warps *= 2;
  }
  return warps;
}

/// Whether some block rows are so long that the average says little of the others.
bool has_uneven_rows(const SpmvShape& shape) { return double(shape.longest_row) > 4 * average_row(shape); }

/// The width for by_line (all measured on an H200): what suits the average block row, or the compiled width where that
/// is near; fewer lanes where most block rows are shorter; and more where otherwise much of the device would be idle
/// and a lane would have several rounds of loads, or where a lane would have many lines.
int choose_line_width(const SpmvShape& shape, const SpmvDevice& device) {
  constexpr double most_lines_of_lane = 128;
  const LineParts line = line_parts_of(shape);
  const double lines = average_row(shape) * shape.block_shape.rows;
  int width = line_width(line, lines, device.warp);
  const int usual = usual_line_width(line, shape.block_shape.rows);
  if (has_uneven_rows(shape)) {
    // Long rows are then cut into more segments, too.
    if (width >= 8 && line.busy_lanes(width / 2) > 0) width /= 2;
  } else if (device.is_gpu && (width == 2 * usual || 2 * width == usual)) {
    width = usual;
  }
  // Groups that add up in registers lose that beyond a warp.
  const double many_lines = (line.parts == 1 ? 4.0 : 2.0) * line.under_way;
  while (2 * width <= widest(Kernel::by_line, shape)) {
    const double of_lane = line.lines_of_lane(lines, width);
    const bool idle = double(shape.num_block_rows) * width < enough_threads(device) / 2 && of_lane > many_lines;
    if (!idle && of_lane <= most_lines_of_lane) break;
    width *= 2;
  }
  return width;
}

/// The width for by_line with several vectors: a warp where otherwise most of the device would be idle.
int choose_staged_width(const SpmvShape& shape, const SpmvDevice& device) {
  const int usual = usual_staged_width(shape.block_shape.rows, vector_bytes_of(shape));
  return double(shape.num_block_rows) * usual < enough_threads(device) ? 32 : usual;
}

/// The width at which lanes read about as many chunks as they should, and few are idle.
int choose_width(Kernel kernel, const SpmvShape& shape, const SpmvDevice& device) {
  if (kernel == Kernel::tensor_core) return choose_warps(shape, device) * device.warp;
  if (kernel == Kernel::by_tile) return lanes_of_tile;
  if (kernel == Kernel::by_line) {
    return shape.many_vectors ? choose_staged_width(shape, device) : choose_line_width(shape, device);
  }
  if (kernel == Kernel::row_per_thread) {
    return static_cast<int>(std::bit_ceil(unsigned(std::min(shape.block_shape.rows, device.warp))));
  }
  const double chunks = chunks_of_row(kernel, shape);
  // Where all block rows together leave the device empty, more lanes a row are free.
  const double all_chunks = chunks * double(shape.num_block_rows);
  const BlockParts parts = block_parts_of(kernel, shape);
  const double most = parts.is_served() ? bytes_of_lane / (parts.load * shape.value_bytes) : chunks_of_lane;
  const double wanted = std::clamp(all_chunks / enough_threads(device), 2.0, most);
  // The width that is compiled in, unless it gives lanes far too much or too little.
  const int usual = device.is_gpu ? usual_width(kernel, compiled_size_of(kernel, shape, true)) : 0;
  if (const int busy = usual > 0 ? busy_lanes_of(kernel, shape, usual) : 0; busy > 0) {
    if (chunks / busy >= 2 && chunks / busy <= 4 * wanted) return usual;
  }
  // Lanes that go down a block with their part of x are bound by their loads: idle ones beside them cost less.
  const double weight_of_idle = parts.is_served() ? 3 : 6;
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const int width : widths_of(shape, device)) {
    const int busy = busy_lanes_of(kernel, shape, width);
    if (busy == 0 || width > widest(kernel, shape)) continue;
    const double idle = 1 - double(busy) / width;
    // A group within a warp waits for nobody else before it adds up; one that goes down the blocks, of more than two
    // warps, for the last of many lanes (b = 17 by rows: 64 lanes are faster by 3 % than 128).
    const double barrier = width <= device.warp ? 0 : parts.is_served() && width > 2 * device.warp ? 0.3 : 0.05;
    const double cost = std::abs(std::log2(chunks / busy / wanted)) + weight_of_idle * idle + barrier;
    if (cost < least) {
      least = cost;
      best = width;
    }
  }
  return best;
}

/// Where lines beat chunks and tiles (measured on an H200): in small blocks, where chunks straddle columns, and where
/// chunks hold so many small values that a lane has too few of them.
bool pays_by_line(const SpmvShape& shape, const SpmvDevice& device) {
  const int b = shape.block_shape.rows;
  if (shape.value_bytes > 8) return false;  // a chunk is one value: it straddles nothing
  if (b == 2) return (shape.by_columns || shape.value_bytes == 8) && shape.in_order && shape.double_vectors;
  // Of 8 the chunks are faster by little where the memory is the bound, and slower elsewhere.
  if (b == 8 && (has_uneven_rows(shape) || double(shape.num_block_rows) * device.warp < 4 * enough_threads(device))) {
    return true;
  }
  return b <= 7 || b % 2 == 1 || (shape.by_columns && shape.value_bytes <= 4);
}

/// The same for several vectors: lanes with a vector or two each need fewer instructions than the matrix unit, which
/// reads the blocks less often where there are many vectors that fill no wide panels, and wastes less of larger blocks.
/// Blocks of more than 6 were measured beside the matrix unit alone.
bool pays_by_line_multi(const SpmvShape& shape, const SpmvDevice& device) {
  const int b = shape.block_shape.rows, k = shape.num_vectors;
  if (b > 6) return device.matrix_unit && shape.vectors_by_rows && (k == 8 || k % 16 == 0);
  if (!device.matrix_unit || !shape.double_vectors || b <= 4) return true;
  return k <= 16 || (shape.vectors_by_rows && k % 16 == 0);
}

Kernel choose_kernel(const SpmvShape& shape, const SpmvDevice& device) {
  const auto can = [&](Kernel kernel) { return serves(kernel, shape, 0); };
  if (!device.is_gpu) return Kernel::block_row_per_thread;
  if (shape.many_vectors && can(Kernel::by_line) && pays_by_line_multi(shape, device)) return Kernel::by_line;
  // Of blocks of one or two rows most of its tiles would be empty.
  if (device.matrix_unit && shape.block_shape.rows > 2 && can(Kernel::tensor_core)) return Kernel::tensor_core;
  if (!shape.many_vectors && can(Kernel::by_line) && pays_by_line(shape, device)) return Kernel::by_line;
  if (can(Kernel::by_tile)) return Kernel::by_tile;
  if (can(Kernel::by_column)) return Kernel::by_column;
  if (can(Kernel::by_block)) return Kernel::by_block;
  return can(Kernel::row_per_thread) ? Kernel::row_per_thread : Kernel::block_row_per_thread;
}

/// With `tile_rows` block rows a tile, or with as many as suit the device where that is 0.
TileShape choose_tile(const SpmvShape& shape, const SpmvDevice& device, int tile_rows) {
  constexpr int width = lanes_of_tile;
  const int b = shape.block_shape.rows;
  const int vector_bytes = vector_bytes_of(shape);
  double values = values_of_tile_lane[b] * (vector_bytes > 4 ? 1 : 2);
  // Entries that lie anywhere share sectors with those of the next rows: what the first cache holds of them is bounded.
  if (b == 1 && !shape.in_order) values = values_of_indirect_tile_lane;
  const double blocks = values / (b * b) * width;
  const double average = std::max(average_row(shape), 1e-3);
  // As many tiles as fill the device, where there are so few block rows.
  const double fair = double(shape.num_block_rows) * width / enough_threads(device);
  const double rows = std::min(blocks / average, fair);
  TileShape tile;
  tile.rows =
      tile_rows > 0 ? tile_rows : static_cast<int>(std::bit_floor(unsigned(std::clamp<double>(rows, 1, width))));
  tile.log2_lanes_of_row = std::countr_zero(unsigned(width / tile.rows));
  tile.capacity = static_cast<int>(
      std::clamp(tile_margin * tile.rows * average, 32.0, double(most_held_by_tile(vector_bytes)) / b));
  return tile;
}

/// How far ahead a CPU is asked for values. What it prefetches by itself comes too late for small blocks; of larger
/// ones too on some machines, where on others it takes a half of the speed to ask. (docs/products.md has both.)
int choose_prefetch(const SpmvShape& shape, const SpmvDevice& device, const std::optional<int>& asked) {
  constexpr int small_block = 96;
  if (shape.many_vectors) return 0;
  const int b = compiled_size_of(Kernel::block_row_per_thread, shape, device.is_gpu);
  if (device.is_gpu || !can_prefetch(b, shape.in_order)) return 0;
  if (asked) return *asked;
  if (device.gains_by_prefetch) return second_cache_prefetch_bytes;
  return b > 1 && b * b * shape.value_bytes <= small_block ? first_cache_prefetch_bytes : 0;
}

/// Scratch memory for as many teams as there are to be, and what is to lie in it.
Staging choose_staging(const SpmvShape& shape, const SpmvDevice& device) {
  constexpr double usual_times_average = 1.25;
  const std::int64_t of_team = device.scratch_bytes / staged_teams(shape.block_shape.rows) - scratch_of_team;
  const double usual = std::min(double(shape.longest_row), std::ceil(usual_times_average * average_row(shape)));
  Staging staging;
  staging.team_bytes = static_cast<int>(std::min<std::int64_t>(of_team, most_staged_bytes));
  staging.block_bytes = static_cast<int>(shape.block_shape.num_values()) * shape.value_bytes + shape.index_bytes;
  staging.usual_row = static_cast<int>(std::min(usual, 1e9));
  return staging;
}

/// Blocks of a block row beyond which it is cut into segments.
std::int64_t choose_longest_row(Kernel kernel, const SpmvShape& shape, int width) {
  const double bb = double(shape.block_shape.num_values());
  const double by_lanes =
      double(most_chunks_of_lane) * busy_lanes_of(kernel, shape, width) * entries_at_a_time(kernel, shape) / bb;
  const double longest = std::max({by_lanes, 2 * average_row(shape), 64.0});
  return static_cast<std::int64_t>(std::min(longest, (1 << 30) / bb));
}

[[noreturn]] void refuse(Kernel kernel, const SpmvShape& shape, int width) {
  const int b = std::max(shape.block_shape.rows, shape.block_shape.cols);
  const std::string size = text("block size ", to_string(shape.block_shape));
  if (b > max_block_size) {
    throw BlockSizeError(b, text("spmv: ", size), text("the kernels take blocks up to ", max_block_size),
                         "split the blocks: convert the matrix to a block size that divides this one");
  }
  if (shape.num_block_rows > std::numeric_limits<std::int32_t>::max()) {
    throw ShapeError(text("spmv: kernel ", to_string(kernel), " on ", shape.num_block_rows, " block rows"),
                     "it counts block rows in 32 bits", "choose auto");
  }
  if (shape.num_cols > std::numeric_limits<std::uint32_t>::max()) {
    throw ShapeError(text("spmv: kernel ", to_string(kernel), " with ", shape.num_cols, " entries of x"),
                     "it counts them in 32 bits", "choose auto");
  }
  std::string why = text("it needs a lane for each entry that a load can start with, and there are ", width);
  if (kernel == Kernel::by_tile) {
    why = text("it gives each of ", lanes_of_tile,
               " lanes whole blocks, of size 1 or 2 (where those are compiled), in block rows of at most ",
               longest_row_of_tile);
  }
  if (kernel == Kernel::by_line) {
    why = text("it takes square blocks of a compiled size from 2 on, up to 32 by columns and less by rows, with up to ",
               widest(kernel, shape), " lanes");
  }
  if (kernel == Kernel::by_column && !shape.by_columns) {
    why = "it reads along the columns, and these blocks are by rows";
  } else if (kernel != Kernel::by_line && width > widest(kernel, shape)) {
    why = text("there are registers and scratch memory for the sums of ", widest(kernel, shape), " lanes, and ", width,
               " were asked for");
  }
  throw BlockSizeError(b, text("spmv: kernel ", to_string(kernel), " cannot take ", size), why,
                       "choose row_per_thread, or auto");
}

}  // namespace

CacheHint choose_cache_hint(const SpmvShape& shape, const SpmvDevice& device) {
  // A cache holds less than its size of what is read over and over. Beside vectors some of what they take is lost.
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
  if (std::max(shape.block_shape.rows, shape.block_shape.cols) > max_block_size) return false;
  if (kernel == Kernel::automatic || kernel == Kernel::block_row_per_thread) return true;
  const bool any_width = width == 0;
  if (any_width) width = widest(kernel, shape);
  if (width > widest(kernel, shape)) return false;
  if (shape.num_block_rows > std::numeric_limits<std::int32_t>::max()) return false;
  if (kernel == Kernel::row_per_thread) return true;
  // The others count the entries of x in 32 bits.
  if (shape.num_cols > std::numeric_limits<std::uint32_t>::max()) return false;
  if (kernel == Kernel::tensor_core) return shape.many_vectors && shape.double_vectors && width >= 32;
  if (kernel == Kernel::by_tile) {
    // For sizes that are not compiled in there is no such kernel.
    return !shape.many_vectors && is_compiled(shape.block_shape) && shape.block_shape.rows <= 2 &&
           width >= lanes_of_tile && shape.longest_row <= longest_row_of_tile;
  }
  if (kernel == Kernel::by_column && !shape.by_columns) return false;
  if (kernel == Kernel::by_line && shape.many_vectors) {
    const int b = shape.block_shape.rows;
    if (!is_compiled(shape.block_shape) || b > largest_staged_block(shape.double_vectors)) return false;
    return any_width || width == 32 || width == usual_staged_width(b, vector_bytes_of(shape));
  }
  return busy_lanes_of(kernel, shape, width) > 0;
}

SpmvLaunch choose_launch(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request) {
  int width = request.width;
  const int tile_rows = request.tile_rows;
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
    throw ArgumentError(text("spmv: values asked for ", ahead, " bytes ahead"),
                        text("it is 0 to ", most_prefetch_bytes), "leave it out to let the plan choose");
  }
  SpmvLaunch launch;
  launch.kernel = request.kernel == Kernel::automatic ? choose_kernel(shape, device) : request.kernel;
  if (!serves(launch.kernel, shape, width)) {
    refuse(launch.kernel, shape, width != 0 ? width : widest(launch.kernel, shape));
  }
  launch.compiled_size = compiled_size_of(launch.kernel, shape, device.is_gpu);
  if (launch.kernel == Kernel::block_row_per_thread) {
    if (!device.is_gpu && device.threads > 1) {
      // No thread is to be late by more than about an eighth of its work, and small matrices are not worth two more
      // launches.
      const std::int64_t longest_row =
          std::max(shape.num_blocks / (8 * device.threads), 4 * blocks_of_segment(shape.block_shape));
      if (shape.longest_row > longest_row) launch.longest_row = longest_row;
    }
    launch.prefetch_bytes = choose_prefetch(shape, device, request.prefetch_bytes);
    return launch;
  }
  if (width == 0 || launch.kernel == Kernel::by_tile) width = choose_width(launch.kernel, shape, device);
  launch.grouping.width = width;
  if (launch.kernel == Kernel::by_tile) {
    launch.grouping.in_warp = false;
    launch.tile = choose_tile(shape, device, tile_rows);
    return launch;
  }
  launch.grouping.in_warp = width <= device.warp;
  if (device.is_gpu && launch.grouping.in_warp) launch.grouping.groups = std::max(1, threads_of_team / width);
  if (launch.kernel == Kernel::by_line && shape.many_vectors) {
    launch.staging = choose_staging(shape, device);
  }
  const std::int64_t longest_row = choose_longest_row(launch.kernel, shape, width);
  if (shape.longest_row > longest_row) launch.longest_row = longest_row;
  return launch;
}

SpmvLaunch choose_multi_launch(SpmvShape shape, const SpmvDevice& device, Kernel kernel, int width) {
  shape.many_vectors = true;
  if (width > widest(shape)) width = 0;
  const bool served = serves(kernel, shape, width);
  if (!served || (kernel == Kernel::tensor_core && !device.matrix_unit)) kernel = Kernel::automatic;
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

}  // namespace ashlar::impl
