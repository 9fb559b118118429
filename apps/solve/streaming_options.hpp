#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/streaming/options.hpp>
#include <cstdint>
#include <string>

#include "matrix_bytes.hpp"
#include "solve/memory_need.hpp"
#include "solve/options.hpp"

namespace ashlar::app {

/// What the solve takes of the device beside a streamed matrix and a product's two vectors, with so many bytes more.
std::uint64_t bytes_beside_streaming(const MatrixShape& shape, const SolveOptions& options, std::uint64_t besides = 0);

/// How a matrix is to be streamed: with what `limit` bytes of the device leave beside the solver's vectors, its
/// preconditioner, and so many bytes more.
StreamingOptions streaming_options(const MatrixShape& shape, const SolveOptions& options, std::uint64_t limit,
                                   std::uint64_t besides = 0);

/// make(), which streams a matrix within what `limit` bytes leave beside others that are taken. A MemoryError knows
/// only of what is left: told again with the limit, and with what `what` needs in all (require_within_limit()).
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
