#pragma once

#include <ashlar/io/block_file.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "solve/options.hpp"
#include "types.hpp"

namespace ashlar::app {

/// A matrix that is too large for memory and stays in its block file, with what one look through it has found.
template <class Exec>
struct FileMatrixFound {
  std::shared_ptr<Streamed<Exec>> matrix;
  double block_fill = 1;  ///< values stored over those that are not zero
};

/// Opens it for products that read the file, within what `limit` bytes leave beside the solver, and reads all of it
/// once: a file that is damaged anywhere is found out here.
///
/// Throws   FileError, which for a value that is no number names its block; MemoryError.
template <class Exec>
FileMatrixFound<Exec> open_file_matrix(const Exec& exec, io::BlockFile file, const SolveOptions& options,
                                       std::uint64_t limit);

}  // namespace ashlar::app
