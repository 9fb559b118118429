#pragma once

#include <ashlar/io/block_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "solve/options.hpp"

namespace ashlar::app {

/// Finds out before any work is done that inputs can be opened and outputs written, and that no output is an input or
/// another output: rank `rank` of `ranks`, which tries what it makes. Rank 0 makes all outputs, and each rank its piece
/// of a mesh.
///
/// Throws   FileError, ArgumentError.
void check_files(const SolveOptions& options, int rank, int ranks);

/// Looks at the headers of the files named by `options`, however large these are, and checks what they say: real
/// matrix, square, a block size that divides it, a right-hand side and an initial guess of its length; and at the
/// tuning table.
///
/// Files that can be read once only are left alone.
///
/// Throws   FileError with the file, the line and the numbers.
void check_headers(const SolveOptions& options);

/// What the file of --tune holds; nothing where there is none yet. Throws FileError.
TuningTable load_tuning(const MethodOptions& method);

/// The same for one file: after reading, where it was a pipe.
void check_matrix_header(const SolveOptions& options, const io::MatrixMarketHeader& header);
void check_block_file(const SolveOptions& options, const io::BlockFile& file);

/// A file with one vector, and what it is for people: "a right-hand side".
struct VectorFile {
  const char* what;
  std::string path;
};

/// Its entries, as many as the system has rows. Throws FileError.
std::vector<double> read_vector(const SolveOptions& options, const VectorFile& vector, std::int64_t num_rows);

}  // namespace ashlar::app
