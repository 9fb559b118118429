#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/streaming/options.hpp>
#include <cstdint>
#include <string>

#include "matrix_bytes.hpp"
#include "solve/options.hpp"

namespace ashlar::app {

/// Where the matrix is while it is multiplied.
enum class MatrixPlace {
  device,
  host,  ///< in the host's memory, streamed
  file   ///< in its block file, streamed
};

/// Bytes of the preconditioner, the vectors and the history on the device: all but the matrix. The largest number there
/// is where 64 bits do not hold it. Without algebraic multigrid if the matrix is streamed: its need is known when its
/// first coarse level is there.
std::uint64_t solver_bytes(const MatrixShape& shape, const SolveOptions& options,
                           MatrixPlace place = MatrixPlace::device);

/// The same with the matrix.
std::uint64_t device_bytes(const MatrixShape& shape, const SolveOptions& options);

/// Bytes that are free where Exec computes, or the limit set for its device. The functions below count the same memory.
template <class Exec>
std::uint64_t device_limit(const SolveOptions& options);

/// Where a matrix of this shape is to be: as asked for, or the first place that has room for it.
template <class Exec>
MatrixPlace place_of(const MatrixShape& shape, const SolveOptions& options, bool is_in_block_file = false);

/// Throws MemoryError where the device, or for a matrix that stays in its memory the host, has no room for what the
/// solve of a matrix of this shape takes.
template <class Exec>
void require_memory_for(const MatrixShape& shape, const std::string& what, const SolveOptions& options,
                        MatrixPlace place);

/// Bytes that reading a matrix file takes on the host at least, and then its solve on the device at least.
struct FileNeed {
  std::uint64_t host_bytes = 0;
  std::uint64_t device_bytes = 0;
};
template <class Exec>
FileNeed file_need(const io::MatrixMarketHeader& header, std::uint64_t file_size, const SolveOptions& options);

/// Throws MemoryError where a device's `available` bytes, a device_limit(), are fewer than `needed`. It names
/// --device-memory-limit where that is why.
void require_within_limit(std::uint64_t needed, std::uint64_t available, const std::string& what,
                          const SolveOptions& options);

/// The same with the device_limit() of now.
template <class Exec>
void require_device_memory(std::uint64_t needed, const std::string& what, const SolveOptions& options);

/// The solve's device memory beside a streamed matrix and a product's two vectors, with `besides` bytes more.
std::uint64_t bytes_beside_streaming(const MatrixShape& shape, const SolveOptions& options, std::uint64_t besides = 0);

/// How a matrix is to be streamed: with what `limit` bytes of the device leave beside the solver's vectors, its
/// preconditioner, and so many bytes more.
StreamingOptions streaming_options(const MatrixShape& shape, const SolveOptions& options, std::uint64_t limit,
                                   std::uint64_t besides = 0);

/// make(), which streams a matrix within `limit` bytes less the `taken` ones. A MemoryError knows only the rest: it is
/// thrown again with the limit, and with the total need of `what` (require_within_limit()).
///
/// Throws   MemoryError, and what else make() throws.
template <class Make>
auto within_limit(std::uint64_t limit, std::uint64_t taken, const std::string& what, const SolveOptions& options,
                  const Make& make) {
  try {
    return make();
  } catch (const MemoryError& error) {
    require_within_limit(error.needed() + taken, limit, what + ", streamed", options);
    throw;
  }
}

}  // namespace ashlar::app
