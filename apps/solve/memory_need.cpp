#include "solve/memory_need.hpp"

#include <algorithm>
#include <ashlar/base/memory.hpp>
#include <limits>

namespace ashlar::app {

std::uint64_t device_bytes(const MatrixShape& shape, const SolveOptions& options) {
  const Bytes block_rows{shape.num_block_rows};
  const Bytes rows = block_rows * Bytes{shape.block_size};
  Bytes need = matrix_bytes(shape);
  switch (options.preconditioner) {
    case PreconditionerKind::none:
      break;
    case PreconditionerKind::jacobi:
      need = need + rows * scalar_bytes + block_rows * index_bytes;
      break;
    case PreconditionerKind::block_jacobi:  // and its diagonal's places and pivots
      need = need + matrix_bytes({shape.num_block_rows, shape.num_block_rows, shape.block_size}) +
             block_rows * index_bytes + rows * index_bytes;
  }
  const Bytes vectors{6};  // b, x, and the four of CG
  need = need + vectors * rows * scalar_bytes;
  return (need + (Bytes{std::uint64_t(options.max_iterations)} + Bytes{1}) * scalar_bytes).count;
}

FileNeed file_need(const io::MatrixMarketHeader& header, std::uint64_t file_size, const SolveOptions& options) {
  const std::uint64_t block_size = std::max(options.block_size.value_or(1), 1);
  FileNeed need;
  need.device_bytes = device_bytes(least_shape(header, file_size, block_size), options);
  need.host_bytes = reading_bytes(header, file_size, block_size);
  if (!has_device_memory) need.host_bytes = std::max(need.host_bytes, need.device_bytes);
  return need;
}

void require_device_memory(std::uint64_t needed, const std::string& what, const SolveOptions& options) {
  const std::uint64_t limit = options.device_memory_limit.value_or(std::numeric_limits<std::uint64_t>::max());
  require_memory(needed, std::min(limit, available_bytes<Space>()), what);
}

}  // namespace ashlar::app
