#pragma once

#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/distributed/shared_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <cstdint>
#include <string>

#include "commands.hpp"
#include "types.hpp"
#include "world.hpp"

// The parts of `ashlar convert`.
namespace ashlar::app {

/// Offsets of 64 bits, as files have more blocks than devices.
template <class Scalar, class Layout>
using BlocksOnHost = BcsrMatrix<Scalar, Layout, std::int32_t, std::int64_t, Kokkos::HostSpace>;

/// Throws ArgumentError for the name of a compressed file, A.mtx.gz.
void refuse_to_compress(const std::string& path);

/// Throws FileError for an output without places, such as a pipe, if a block file is to be written to it.
void check_output_of_matrix(const std::string& path);

/// Prints that `what` is in the file, with the file's size: on standard error if the matrix itself may have gone to
/// standard output.
void say_written(const std::string& path, const std::string& what);

/// The same of entries that were blocks.
void say_entries(const std::string& path, const BlockShape& block_shape, std::int64_t num_block_rows,
                 std::int64_t num_block_cols, std::int64_t num_blocks, std::int64_t num_entries);

/// Writes a Matrix Market file of the lines that all ranks have, in the order of the ranks. Returns the number of
/// entries, of which this rank has `my_entries`. Collective.
///
/// Throws   FileError on a rank that cannot write its part, RankError on the others.
template <scalar Scalar>
std::int64_t write_lines(const World& world, const std::string& path, std::int64_t num_rows, std::int64_t num_cols,
                         const std::string& lines, std::int64_t my_entries) {
  const Communicator& comm = world.comm();
  const std::int64_t num_entries = comm.sum(my_entries);
  SharedFile shared(comm, path);
  shared.append(world.speaks() ? io::matrix_market_head<Scalar>(num_rows, num_cols, num_entries) : "");
  shared.append(lines);
  shared.close();
  return num_entries;
}

/// Throws ArgumentError, FileError if a generated problem cannot be written as asked for.
void check_problem_to_write(const ConvertOptions& options);

/// Writes a generated problem, and its right-hand side if that is wanted. Collective.
///
/// Throws   MemoryError, FileError, what the generators throw: on all ranks together.
void write_problem(const World& world, const ConvertOptions& options);

}  // namespace ashlar::app
