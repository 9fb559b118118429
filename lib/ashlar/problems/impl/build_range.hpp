#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/problems/row_range.hpp>
#include <cstdint>
#include <string>

namespace ashlar::problems::impl {

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
