#include "solve/memory_need.hpp"

#include <algorithm>
#include <ashlar/base/memory.hpp>
#include <limits>

#include "types.hpp"

namespace ashlar::app {

namespace {

/// A number of bytes that stays at the largest number instead of starting again at zero.
struct Bytes {
  std::uint64_t count;

  friend Bytes operator+(Bytes a, Bytes b) {
    std::uint64_t sum = 0;
    return {__builtin_add_overflow(a.count, b.count, &sum) ? largest : sum};
  }
  friend Bytes operator*(Bytes a, Bytes b) {
    std::uint64_t product = 0;
    return {__builtin_mul_overflow(a.count, b.count, &product) ? largest : product};
  }
  static constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
};

constexpr Bytes scalar_bytes{sizeof(Matrix::scalar_type)};
constexpr Bytes index_bytes{sizeof(Matrix::ordinal_type)};
static_assert(sizeof(Matrix::ordinal_type) == sizeof(Matrix::offset_type));

Bytes matrix_bytes(Bytes block_rows, Bytes blocks, Bytes block_size) {
  return blocks * (block_size * block_size * scalar_bytes + index_bytes) + (block_rows + Bytes{1}) * index_bytes;
}

}  // namespace

std::uint64_t device_bytes(const MatrixShape& shape, const SolveOptions& options) {
  const Bytes block_rows{shape.num_block_rows}, blocks{shape.num_blocks}, block_size{shape.block_size};
  const Bytes rows = block_rows * block_size;
  Bytes need = matrix_bytes(block_rows, blocks, block_size);
  switch (options.preconditioner) {
    case PreconditionerKind::none:
      break;
    case PreconditionerKind::jacobi:
      need = need + rows * scalar_bytes + block_rows * index_bytes;
      break;
    case PreconditionerKind::block_jacobi:  // and its diagonal's places and pivots
      need = need + matrix_bytes(block_rows, block_rows, block_size) + block_rows * index_bytes + rows * index_bytes;
  }
  const Bytes vectors{6};  // b, x, and the four of CG
  need = need + vectors * rows * scalar_bytes;
  return (need + (Bytes{std::uint64_t(options.max_iterations)} + Bytes{1}) * scalar_bytes).count;
}

std::uint64_t assembly_bytes(const MatrixShape& shape) {
  const Bytes block_rows{shape.num_block_rows}, block_size{shape.block_size};
  return (matrix_bytes(block_rows, Bytes{shape.num_blocks}, block_size) + block_rows * block_size * Bytes{8}).count;
}

FileNeed file_need(const io::MatrixMarketHeader& header, std::uint64_t file_size, const SolveOptions& options) {
  const bool is_array = header.format == io::MatrixMarketFormat::array;
  const std::uint64_t rows = static_cast<std::uint64_t>(header.rows);
  // "1\n" is the shortest line of an array, "1 1\n" that of a list of entries.
  const std::uint64_t in_file = std::min<std::uint64_t>(header.entries, file_size / (is_array ? 2 : 4) + 1);
  const bool is_half = header.symmetry != io::MatrixMarketSymmetry::general;
  const std::uint64_t entries = is_half && in_file > rows ? 2 * in_file - rows : in_file;

  const Bytes per_entry_of_list = scalar_bytes + Bytes{8}, per_entry_of_rows = scalar_bytes + Bytes{4};
  const Bytes list = Bytes{entries} * per_entry_of_list;
  const Bytes by_rows = Bytes{entries} * per_entry_of_rows + Bytes{rows} * Bytes{8};
  const std::uint64_t block_size = std::max(options.block_size.value_or(1), 1);
  // Full blocks are the least that the entries can take.
  const std::uint64_t blocks = entries / (block_size * block_size);
  const MatrixShape shape{rows / block_size, blocks, block_size};
  FileNeed need;
  need.device_bytes = device_bytes(shape, options);
  // Three times at which much is held at once: while the text is read, the list sorted, the rows cut into blocks.
  need.host_bytes = std::max(
      {(Bytes{file_size} + list).count, (list + by_rows).count, (by_rows + Bytes{assembly_bytes(shape)}).count});
  if (!has_device_memory) need.host_bytes = std::max(need.host_bytes, need.device_bytes);
  return need;
}

void require_device_memory(std::uint64_t needed, const std::string& what, const SolveOptions& options) {
  const std::uint64_t limit = options.device_memory_limit.value_or(std::numeric_limits<std::uint64_t>::max());
  require_memory(needed, std::min(limit, available_bytes<Space>()), what);
}

}  // namespace ashlar::app
