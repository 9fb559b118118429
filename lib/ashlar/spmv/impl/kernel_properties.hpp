#pragma once

#include <ashlar/bcsr/block_shape.hpp>
#include <ashlar/spmv/impl/spmv_launch.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <string>

namespace ashlar::impl {

// What kernels say of themselves (KernelOf), for those who have no need to know them all.

/// Whether it multiplies single vectors, and whether several.
bool has_single(Kernel kernel);
bool has_multi(Kernel kernel);

/// Whether groups of lanes share block rows; else a thread takes one, or many.
bool has_lanes(Kernel kernel);

/// Bytes of values that the kernel loads at a time, beginning at multiples of that.
int bytes_of_load(Kernel kernel, const BlockShape& shape, int value_bytes);

/// How a launch deals block rows out: ", 16 lanes a block row, 8 block rows a team".
std::string describe(const SpmvLaunch& launch);

}  // namespace ashlar::impl
