#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/choice/launch_widths.hpp>
#include <ashlar/spmv/impl/launch/with_kernel.hpp>
#include <bit>
#include <cmath>
#include <limits>

namespace ashlar::impl {

namespace {

/// Threads of a team whose groups lie within warps: enough block rows in one to fill a multiprocessor with few teams.
constexpr int threads_of_team = 128;
static_assert(threads_of_team == staged_threads);

/// The most chunks that a lane reads of one block row, before longer ones are cut into segments.
constexpr int most_chunks_of_lane = 128;

/// Blocks of a block row beyond which it is cut into segments.
std::int64_t choose_longest_row(Kernel kernel, const SpmvShape& shape, int width) {
  const double bb = double(shape.block_shape.num_values());
  const double by_lanes =
      double(most_chunks_of_lane) * busy_lanes_of(kernel, shape, width) * entries_at_a_time(kernel, shape) / bb;
  const double longest = std::max({by_lanes, 2 * average_row(shape), 64.0});
  return static_cast<std::int64_t>(std::min(longest, (1 << 30) / bb));
}

}  // namespace

int widest(const SpmvShape& shape) {
  if (!shape.many_vectors) return 1024;
  // A lane's chunk of smaller values may be multiplied by vectors of doubles.
  return shape.value_bytes <= 4 ? 128 : 256;
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

double average_row(const SpmvShape& shape) {
  return shape.num_block_rows > 0 ? double(shape.num_blocks) / double(shape.num_block_rows) : 0;
}

bool has_uneven_rows(const SpmvShape& shape) { return double(shape.longest_row) > 4 * average_row(shape); }

double enough_threads(const SpmvDevice& device) { return double(device.threads) / 8; }

int widest(Kernel kernel, const SpmvShape& shape) {
  return with_kernel(kernel, [&](auto k) { return k.widest(shape); });
}

int compiled_size_of(Kernel kernel, const SpmvShape& shape, bool is_gpu) {
  if (!is_compiled(shape.block_shape)) return runtime_block_size;
  const int b = shape.block_shape.rows;
  return with_kernel(kernel, [&](auto k) {
    if (shape.many_vectors) return k.compiled_size_multi(b);
    return k.compiled_size(b, shape.value_bytes, shape.by_columns, is_gpu);
  });
}

int entries_at_a_time(Kernel kernel, const SpmvShape& shape) {
  return with_kernel(kernel, [&](auto k) { return k.entries_at_a_time(shape); });
}

int busy_lanes_of(Kernel kernel, const SpmvShape& shape, int width) {
  return with_kernel(kernel, [&](auto k) { return k.busy_lanes(shape, width); });
}

double chunks_of_row(Kernel kernel, const SpmvShape& shape) {
  return std::max(1.0, average_row(shape) * double(shape.block_shape.num_values()) / entries_at_a_time(kernel, shape));
}

double chunks_a_lane(Kernel kernel, const SpmvShape& shape, int width) {
  return chunks_of_row(kernel, shape) / std::max(busy_lanes_of(kernel, shape, width), 1);
}

std::string work_of_lanes(Kernel kernel, const SpmvShape& shape, int width, const char* what) {
  return text(", ", rounded(chunks_a_lane(kernel, shape, width)), " ", what, " for each of ",
              busy_lanes_of(kernel, shape, width), " busy lanes");
}

int width_by_chunks(Kernel kernel, const SpmvShape& shape, const SpmvDevice& device, const LaneHabits& habits) {
  const double chunks = chunks_of_row(kernel, shape);
  // Where all block rows together leave the device empty, more lanes a row are free.
  const double all_chunks = chunks * double(shape.num_block_rows);
  const double wanted = std::clamp(all_chunks / enough_threads(device), 2.0, habits.chunks_of_lane);
  // The width that is compiled in, unless it gives lanes far too much or too little.
  const int usual = habits.usual_width;
  if (const int busy = usual > 0 ? busy_lanes_of(kernel, shape, usual) : 0; busy > 0) {
    if (chunks / busy >= 2 && chunks / busy <= 4 * wanted) return usual;
  }
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const int width : widths_of(shape, device)) {
    const int busy = busy_lanes_of(kernel, shape, width);
    if (busy == 0 || width > widest(kernel, shape)) continue;
    const double idle = 1 - double(busy) / width;
    // A group within a warp waits for nobody else before it adds up.
    const double barrier = width <= device.warp ? 0 : width > 2 * device.warp ? habits.far_barrier : 0.05;
    const double cost = std::abs(std::log2(chunks / busy / wanted)) + habits.weight_of_idle * idle + barrier;
    if (cost < least) {
      least = cost;
      best = width;
    }
  }
  return best;
}

SpmvLaunch grouped_launch(Kernel kernel, const SpmvShape& shape, const SpmvDevice& device, int width) {
  SpmvLaunch launch;
  launch.grouping.width = width;
  launch.grouping.in_warp = width <= device.warp;
  if (device.is_gpu && launch.grouping.in_warp) launch.grouping.groups = std::max(1, threads_of_team / width);
  const std::int64_t longest_row = choose_longest_row(kernel, shape, width);
  if (shape.longest_row > longest_row) launch.longest_row = longest_row;
  return launch;
}

std::vector<LaunchRequest> requests_by_width(Kernel kernel, const SpmvShape& shape, const SpmvDevice& device, int model,
                                             int times) {
  std::vector<LaunchRequest> requests;
  for (const int width : widths_of(shape, device)) {
    if (width * times < model || width > model * times) continue;
    if (width > widest(kernel, shape) || 2 * busy_lanes_of(kernel, shape, width) < width) continue;
    requests.push_back({kernel, width, 0});
  }
  return requests;
}

}  // namespace ashlar::impl
