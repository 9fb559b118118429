#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/impl/choose_launch.hpp>
#include <limits>

namespace ashlar::impl {

namespace {

int next_power_of_two(std::int64_t n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

/// On a CPU the team kernels are for testing what a GPU would run; they play a warp of this many lanes.
constexpr int lanes_on_host = 32;

/// Threads of a thread block: enough block rows in one to fill a multiprocessor with few blocks.
constexpr int threads_of_team = 128;

int lanes_of(const SpmvDevice& device) { return device.is_gpu ? device.max_width : lanes_on_host; }

/// From this block size on a block's columns alone are long enough to be read one by one (measured on an H200).
constexpr int row_per_thread_from = 16;

/// Whether what the kernel keeps in 32 bits fits: the team kernels their block rows, by_column the columns of one.
bool counts_in_32_bits(Kernel kernel, const SpmvShape& shape, int width) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (kernel == Kernel::block_row_per_thread) return true;
  return shape.num_block_rows <= most && (kernel != Kernel::by_column || shape.num_cols < most - 4 * width);
}

Kernel choose_kernel(const SpmvShape& shape, const SpmvDevice& device) {
  if (!device.is_gpu) return Kernel::block_row_per_thread;
  if (shape.block_size < row_per_thread_from && serves(Kernel::by_column, shape, lanes_of(device))) {
    return Kernel::by_column;
  }
  return serves(Kernel::row_per_thread, shape, lanes_of(device)) ? Kernel::row_per_thread
                                                                 : Kernel::block_row_per_thread;
}

/// Lanes that one block row keeps busy: each takes between 11 and 22 entries of an average row, so that the sum over
/// the lanes at its end is a small part of its work (measured on an H200).
int choose_width(Kernel kernel, const SpmvShape& shape, int max_width) {
  const std::int64_t b = shape.block_size;
  const std::int64_t least = kernel == Kernel::by_block ? b * b : std::min<std::int64_t>(b, max_width);
  if (kernel == Kernel::row_per_thread) return next_power_of_two(least);
  const std::int64_t entries_of_row = shape.num_block_rows > 0 ? shape.num_blocks * b * b / shape.num_block_rows : 0;
  const std::int64_t wanted = std::clamp<std::int64_t>(entries_of_row / 22, 4, max_width);
  return std::min(max_width, next_power_of_two(std::max(wanted, least)));
}

[[noreturn]] void refuse(Kernel kernel, const SpmvShape& shape, int lanes) {
  const int b = shape.block_size;
  if (b > max_block_size) {
    throw BlockSizeError(b, text("spmv: block size ", b), text("the kernels take blocks up to ", max_block_size),
                         "split the blocks: convert the matrix to a block size that divides this one");
  }
  if (!counts_in_32_bits(kernel, shape, lanes)) {
    throw ShapeError(text("spmv: kernel ", to_string(kernel), " on ", shape.num_block_rows, " block rows and ",
                          shape.num_cols, " columns"),
                     "it counts block rows, and by_column the columns of one, in 32 bits", "choose auto");
  }
  throw BlockSizeError(b, text("spmv: kernel ", to_string(kernel), " cannot take block size ", b),
                       kernel == Kernel::by_block
                           ? text("it gives each entry of a block a lane of its own, and there are ", lanes)
                           : text("it gives each row of a block a lane of its own, and there are ", lanes),
                       "choose row_per_thread, or auto");
}

}  // namespace

bool serves(Kernel kernel, const SpmvShape& shape, int width) {
  const int b = shape.block_size;
  if (b > max_block_size || !counts_in_32_bits(kernel, shape, width)) return false;
  switch (kernel) {
    case Kernel::by_block:
      return b * b <= width;
    case Kernel::by_column:
      return b <= width;
    default:
      return true;
  }
}

SpmvLaunch choose_launch(const SpmvShape& shape, const SpmvDevice& device, Kernel kernel, int width) {
  const int max_width = lanes_of(device);
  if (width != 0 && (!is_power_of_two(width) || width > max_width)) {
    throw ArgumentError(text("spmv: ", width, " lanes a block row"),
                        text("it is a power of two up to ", max_width, " here"), "pass 0 to let the plan choose");
  }
  SpmvLaunch launch;
  launch.kernel = kernel == Kernel::automatic ? choose_kernel(shape, device) : kernel;
  launch.width = width != 0 ? width : choose_width(launch.kernel, shape, max_width);
  if (!serves(launch.kernel, shape, launch.width)) refuse(launch.kernel, shape, launch.width);
  launch.team_size = device.is_gpu ? std::max(1, threads_of_team / launch.width) : 1;
  return launch;
}

}  // namespace ashlar::impl
