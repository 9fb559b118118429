#pragma once

#include <ashlar/spmv/impl/block_parts.hpp>
#include <ashlar/spmv/impl/choose_launch.hpp>
#include <ashlar/spmv/impl/line_parts.hpp>
#include <vector>

namespace ashlar::impl {

/// The most lanes of a group. With several vectors all their sums are in scratch memory together, which bounds them.
int widest(const SpmvShape& shape);

/// The most that this kernel takes.
int widest(Kernel kernel, const SpmvShape& shape);

/// Whether a block row may be given to `width` lanes of this device.
bool is_width(const SpmvShape& shape, const SpmvDevice& device, int width);

/// The widths that are worth a look, in ascending order.
std::vector<int> widths_of(const SpmvShape& shape, const SpmvDevice& device);

/// Bytes of an entry of x, as far as the plan was told.
int vector_bytes_of(const SpmvShape& shape);

/// How by_line deals the lines of these blocks, if it does.
LineParts line_parts_of(const SpmvShape& shape);

/// How the kernel deals these blocks, if it is by_block and does so row by row.
BlockParts block_parts_of(Kernel kernel, const SpmvShape& shape);

/// The size of these blocks that the kernel has compiled in, or runtime_block_size.
int compiled_size_of(Kernel kernel, const SpmvShape& shape, bool is_gpu);

/// Entries that a lane takes at a time: a chunk; of by_line, a line or its part.
int entries_at_a_time(Kernel kernel, const SpmvShape& shape);

/// Lanes of a group that have work; 0 where the kernel cannot use so few.
int busy_lanes_of(Kernel kernel, const SpmvShape& shape, int width);

/// Blocks of a block row.
double average_row(const SpmvShape& shape);

/// Chunks (lines, or parts of them) of an average block row.
double chunks_of_row(Kernel kernel, const SpmvShape& shape);

/// Those that each busy lane reads.
double chunks_a_lane(Kernel kernel, const SpmvShape& shape, int width);

}  // namespace ashlar::impl
