#pragma once

#include <spmv/measure.hpp>
#include <spmv/options.hpp>

namespace ashlar::perf {

/// 27-point grids of dense blocks, each of about options.bytes.
void run_grid(const Exec& exec, const Options& options, Measurement& measurement);
/// The same, of 100 block rows and more: what fits in a cache, and where launching counts.
void run_small(const Exec& exec, const Options& options, Measurement& measurement);
/// Row lengths by a power law, columns all over the matrix.
void run_irregular(const Exec& exec, const Options& options, Measurement& measurement);
/// The grids again, with 1 to 64 vectors at a time.
void run_multivector(const Exec& exec, const Options& options, Measurement& measurement);
/// The six matrices of Eberhardt & Hoemmen 2016: the file where options.matrices has it, or a twin with as many block
/// rows and blocks.
void run_paper(const Exec& exec, const Options& options, Measurement& measurement);

}  // namespace ashlar::perf
