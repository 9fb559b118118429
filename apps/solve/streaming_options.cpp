#include "solve/streaming_options.hpp"

#include <algorithm>

#include "solve/memory_need.hpp"

namespace ashlar::app {

StreamingOptions streaming_options(const MatrixShape& shape, const SolveOptions& options, std::uint64_t limit,
                                   std::uint64_t besides) {
  StreamingOptions streaming;
  streaming.product.kernel = options.kernel;
  streaming.product.num_vectors = options.num_rhs;
  const std::uint64_t taken = solver_bytes(shape, options) + besides;
  // x and y of a product count among the solver's vectors and in what streaming takes.
  const std::uint64_t counted =
      2 * shape.num_block_rows * shape.block_size * sizeof(double) * std::uint64_t(options.num_rhs);
  streaming.device_memory_limit = std::max<std::uint64_t>(limit > taken ? limit - taken + counted : counted, 1);
  return streaming;
}

}  // namespace ashlar::app
