#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/problems/lattice.hpp>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

namespace ashlar::problems::impl {

/// The product of numbers none of which is negative.
///
/// Throws   ArgumentError, whose message begins with `what`, where it does not fit into 64 bits.
inline std::int64_t checked_product(const std::string& what, std::initializer_list<std::int64_t> factors) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::int64_t product = 1;
  bool fits = true;
  for (const std::int64_t factor : factors) {
    fits = fits && (factor == 0 || product <= largest / factor);
    if (fits) product *= factor;
  }
  if (!fits) throw ArgumentError(what, text("a count would pass ", largest), "use fewer points a side");
  return product;
}

/// True if the matrix type can hold this many block rows and blocks, found out before anything is allocated. Without
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

/// A count or a fill of the whole, for rows that begin further down.
template <class OfWhole>
struct FromRow {
  OfWhole of_whole;
  std::int64_t first;

  template <class Ordinal>
  KOKKOS_INLINE_FUNCTION int operator()(Ordinal i) const {
    return of_whole(static_cast<Ordinal>(first + i));
  }
  template <class Ordinal, class Row>
  KOKKOS_INLINE_FUNCTION void operator()(Ordinal i, const Row& row) const {
    of_whole(static_cast<Ordinal>(first + i), row);
  }
};

/// Throws ArgumentError, whose message begins with `problem`, unless the range lies in 0 to num_block_rows.
inline void check_range(const std::string& problem, const RowRange& range, std::int64_t num_block_rows) {
  if (range.begin < 0 || range.end < range.begin || range.end > num_block_rows) {
    throw ArgumentError(text(problem, ": block rows ", range.begin, " to ", range.end), text("it has ", num_block_rows),
                        "pass a range that lies in 0 to their number");
  }
}

/// Some block rows of the square matrix that count and fill make, as build_by_rows() has them.
template <class Matrix, class Exec, class Count, class Fill>
Matrix build_range(const Exec& exec, int block_size, std::int64_t num_block_rows, const RowRange& range,
                   const Count& count, const Fill& fill) {
  using Ordinal = typename Matrix::ordinal_type;
  return build_by_rows<Matrix>(exec, block_size, static_cast<Ordinal>(range.size()),
                               static_cast<Ordinal>(num_block_rows), FromRow<Count>{count, range.begin},
                               FromRow<Fill>{fill, range.begin});
}

}  // namespace ashlar::problems::impl
