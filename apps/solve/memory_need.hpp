#pragma once

#include <ashlar/io/matrix_market.hpp>
#include <cstdint>
#include <string>

#include "solve/options.hpp"

namespace ashlar::app {

/// What a solve needs is told by the structure of its matrix alone.
struct MatrixShape {
  std::uint64_t num_block_rows = 0;
  std::uint64_t num_blocks = 0;
  std::uint64_t block_size = 1;
};

/// Bytes of the matrix, the preconditioner, the vectors and the history on the device. The largest number there is
/// where 64 bits do not hold it.
std::uint64_t device_bytes(const MatrixShape& shape, const SolveOptions& options);

/// Bytes that making a matrix from rows of a file takes on the host: its blocks are put together there, with 8 bytes a
/// row of scratch, before a device gets them. The largest number there is where 64 bits do not hold it.
std::uint64_t assembly_bytes(const MatrixShape& shape);

/// Bytes that reading a matrix file takes on the host at least, and then its solve on the device at least. The file is
/// taken at its word on its size as far as the file's own size bears that out: a lie is the reader's to report.
struct FileNeed {
  std::uint64_t host_bytes = 0;
  std::uint64_t device_bytes = 0;
};
FileNeed file_need(const io::MatrixMarketHeader& header, std::uint64_t file_size, const SolveOptions& options);

/// Throws MemoryError where the device has fewer bytes free than `needed`, or was limited to fewer.
void require_device_memory(std::uint64_t needed, const std::string& what, const SolveOptions& options);

}  // namespace ashlar::app
