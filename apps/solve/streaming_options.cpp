#include "solve/streaming_options.hpp"

#include "solve/memory_need.hpp"

namespace ashlar::app {

std::uint64_t bytes_beside_streaming(const MatrixShape& shape, const SolveOptions& options, std::uint64_t besides) {
  const std::uint64_t x_and_y =
      2 * shape.num_block_rows * shape.block_size * sizeof(double) * std::uint64_t(options.method.num_rhs);
  return solver_bytes(shape, options) + besides - x_and_y;
}

StreamingOptions streaming_options(const MatrixShape& shape, const SolveOptions& options, std::uint64_t limit,
                                   std::uint64_t besides) {
  StreamingOptions streaming;
  streaming.product.kernel = options.method.kernel;
  streaming.product.num_vectors = options.method.num_rhs;
  const std::uint64_t taken = bytes_beside_streaming(shape, options, besides);
  streaming.device_memory_limit = limit > taken ? limit - taken : 1;
  return streaming;
}

}  // namespace ashlar::app
