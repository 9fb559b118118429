#pragma once

#include <ashlar/io/matrix_market.hpp>
#include <cstdint>
#include <string>

#include "matrix_bytes.hpp"
#include "solve/options.hpp"

namespace ashlar::app {

/// Bytes of the matrix, the preconditioner, the vectors and the history on the device. The largest number there is
/// where 64 bits do not hold it.
std::uint64_t device_bytes(const MatrixShape& shape, const SolveOptions& options);

/// Bytes that reading a matrix file takes on the host at least, and then its solve on the device at least.
struct FileNeed {
  std::uint64_t host_bytes = 0;
  std::uint64_t device_bytes = 0;
};
FileNeed file_need(const io::MatrixMarketHeader& header, std::uint64_t file_size, const SolveOptions& options);

/// Throws MemoryError where the device has fewer bytes free than `needed`, or was limited to fewer.
void require_device_memory(std::uint64_t needed, const std::string& what, const SolveOptions& options);

}  // namespace ashlar::app
