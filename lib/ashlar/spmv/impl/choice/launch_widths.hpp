#pragma once

#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cmath>
#include <string>
#include <vector>

namespace ashlar::impl {

// Limits of any shape and any device.

/// The most lanes of a group. With several vectors all their sums are in scratch memory together, which bounds them.
int widest(const SpmvShape& shape);

/// True if a block row may be given to `width` lanes of this device.
bool is_width(const SpmvShape& shape, const SpmvDevice& device, int width);

/// The widths that are worth considering, in ascending order.
std::vector<int> widths_of(const SpmvShape& shape, const SpmvDevice& device);

/// Bytes of an entry of x, as far as the plan was told.
int vector_bytes_of(const SpmvShape& shape);

/// Blocks of a block row.
double average_row(const SpmvShape& shape);

/// True if some block rows are so long that the average says little about the others.
bool has_uneven_rows(const SpmvShape& shape);

/// With fewer threads than this a device is mostly idle, and what counts is how soon the last is done (measured on an
/// H200).
double enough_threads(const SpmvDevice& device);

/// With one digit behind the point, for people.
inline double rounded(double number) { return std::round(number * 10) / 10; }

// Properties of a kernel, by its name.

/// The most lanes that this kernel takes.
int widest(Kernel kernel, const SpmvShape& shape);

/// The size of these blocks that the kernel has compiled in, or runtime_block_size.
int compiled_size_of(Kernel kernel, const SpmvShape& shape, bool is_gpu);

/// Entries that a lane takes at a time: a chunk; of by_line, a line or its part.
int entries_at_a_time(Kernel kernel, const SpmvShape& shape);

/// Lanes of a group that have work; 0 where the kernel cannot use so few.
int busy_lanes_of(Kernel kernel, const SpmvShape& shape, int width);

/// Chunks (lines, or parts of them) of an average block row.
double chunks_of_row(Kernel kernel, const SpmvShape& shape);

/// Those that each busy lane reads.
double chunks_a_lane(Kernel kernel, const SpmvShape& shape, int width);

/// "10.8 chunks for each of 15 busy lanes", of an average block row.
std::string work_of_lanes(Kernel kernel, const SpmvShape& shape, int width, const char* what);

// Widths and launches for kernels that have nothing special about theirs.

/// The kind of work that suits a kernel's lanes best.
struct LaneHabits {
  /// Chunks that a lane should read of a block row of average length: the sum over the lanes at its end is then a small
  /// part of its work, and the lanes of one multiprocessor still have enough in flight (measured on an H200).
  double chunks_of_lane = 50;
  int usual_width = 0;        ///< that is compiled in; 0: none is
  double weight_of_idle = 6;  ///< how much an idle lane costs
  double far_barrier = 0.05;  ///< what it costs to wait for lanes of more than two warps
};

/// The width at which lanes read about as many chunks as they should, and few are idle.
int width_by_chunks(Kernel kernel, const SpmvShape& shape, const SpmvDevice& device, const LaneHabits& habits);

/// Groups of `width` lanes, as many of them in a team as fill a multiprocessor with few teams; longer block rows than
/// suit them are left out.
SpmvLaunch grouped_launch(Kernel kernel, const SpmvShape& shape, const SpmvDevice& device, int width);

/// The widths from `model` / times to `model` * times at which at most half of the lanes are idle.
std::vector<LaunchRequest> requests_by_width(Kernel kernel, const SpmvShape& shape, const SpmvDevice& device, int model,
                                             int times);

}  // namespace ashlar::impl
