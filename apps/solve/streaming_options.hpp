#pragma once

#include <ashlar/streaming/options.hpp>
#include <cstdint>

#include "matrix_bytes.hpp"
#include "solve/options.hpp"

namespace ashlar::app {

/// What the solve takes of the device beside a streamed matrix and a product's two vectors, with so many bytes more.
std::uint64_t bytes_beside_streaming(const MatrixShape& shape, const SolveOptions& options, std::uint64_t besides = 0);

/// How a matrix is to be streamed: with what `limit` bytes of the device leave beside the solver's vectors, its
/// preconditioner, and so many bytes more.
StreamingOptions streaming_options(const MatrixShape& shape, const SolveOptions& options, std::uint64_t limit,
                                   std::uint64_t besides = 0);

}  // namespace ashlar::app
