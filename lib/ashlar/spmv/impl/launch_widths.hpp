#pragma once

#include <ashlar/spmv/impl/choose_launch.hpp>
#include <vector>

namespace ashlar::impl {

/// The most lanes of a group. With several vectors all their sums are in scratch memory together, which bounds them.
int widest(const SpmvShape& shape);

/// Whether a block row may be given to `width` lanes of this device.
bool is_width(const SpmvShape& shape, const SpmvDevice& device, int width);

/// The widths that are worth a look, in ascending order.
std::vector<int> widths_of(const SpmvShape& shape, const SpmvDevice& device);

/// Entries that a lane loads at a time.
int chunk_of(const SpmvShape& shape);

/// Lanes of a group that have work; 0 where the kernel cannot use so few.
int busy_lanes_of(Kernel kernel, const SpmvShape& shape, int width);

/// Blocks of a block row.
double average_row(const SpmvShape& shape);

/// Chunks of an average block row.
double chunks_of_row(const SpmvShape& shape);

/// Chunks that each busy lane reads of an average block row.
double chunks_a_lane(Kernel kernel, const SpmvShape& shape, int width);

}  // namespace ashlar::impl
