#pragma once

#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/problems/impl/checked_product.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace ashlar::problems::impl {

/// Whether the matrix type can hold this many block rows and blocks, found out before anything is allocated. Without
/// blocks: of some rows, whose blocks build_by_rows counts.
///
/// Throws   BlockSizeError, ShapeError where a number passes what its type counts, ArgumentError where the bytes pass
///          64 bits.
template <bcsr_matrix Matrix>
void check_fits(const std::string& problem, int block_size, std::int64_t num_block_rows, std::int64_t num_blocks = 0) {
  static_assert(!is_complex_v<typename Matrix::scalar_type>, "ashlar::problems: the matrices are real");
  constexpr auto most_rows = std::int64_t(std::numeric_limits<typename Matrix::ordinal_type>::max());
  constexpr std::int64_t most_blocks = ashlar::most_blocks<typename Matrix::offset_type>;
  if (block_size < 1) {
    throw BlockSizeError(block_size, text(problem, ": block size ", block_size), "a block has at least one row",
                         "pass the number of unknowns of a node");
  }
  if (num_block_rows > most_rows) {
    throw ShapeError(text(problem, ": ", num_block_rows, " block rows"), text("the ordinal type counts to ", most_rows),
                     "use fewer points, or a matrix type with std::int64_t ordinals");
  }
  if (num_blocks > most_blocks) {
    throw ShapeError(text(problem, ": ", num_blocks, " blocks"), text("the offset type counts to ", most_blocks),
                     "use a matrix type with std::int64_t offsets");
  }
  checked_product(text(problem, ": ", num_blocks, " blocks of size ", block_size),
                  {num_blocks, block_size, block_size, std::int64_t(sizeof(typename Matrix::scalar_type))});
}

}  // namespace ashlar::problems::impl
