#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/problems/lattice.hpp>
#include <cstdint>

namespace ashlar::testing {

/// A symmetric matrix, positive definite, whose columns lie apart, and whose rows have from 3 to some 30 blocks: each
/// row has its neighbours, and every fifth one 20 others, 97 rows apart. Rows from `cut` on have nothing of those
/// before.
struct Tangle {
  std::int64_t num_rows, cut;

  KOKKOS_FUNCTION bool has(std::int64_t i, std::int64_t j) const {
    const std::int64_t low = i < j ? i : j, distance = i < j ? j - i : i - j;
    if (low < 0 || i >= num_rows || j >= num_rows || (i < cut) != (j < cut)) return false;
    return distance <= 1 || (low % 5 == 0 && distance % 97 == 0 && distance / 97 <= 20);
  }
  /// Ascending.
  template <class Visit>
  KOKKOS_FUNCTION void for_columns(std::int64_t i, const Visit& visit) const {
    const auto visit_if = [&](std::int64_t j) {
      if (has(i, j)) visit(j);
    };
    for (int k = 20; k > 0; --k) visit_if(i - 97 * k);
    for (int k = -1; k <= 1; ++k) visit_if(i + k);
    for (int k = 1; k <= 20; ++k) visit_if(i + 97 * k);
  }
};

struct TangleRow {
  Tangle tangle;
  std::int64_t first;

  KOKKOS_FUNCTION int operator()(std::int64_t i) const {
    int count = 0;
    tangle.for_columns(first + i, [&](std::int64_t) { ++count; });
    return count;
  }
  template <class Ordinal, class Row>
  KOKKOS_FUNCTION void operator()(Ordinal i, const Row& row) const {
    int k = 0;
    tangle.for_columns(first + i, [&](std::int64_t j) {
      row.column(k) = static_cast<Ordinal>(j);
      for (int r = 0; r < row.block_size(); ++r) row.value(k, r, r) = j == first + i ? 60 + r : -1;
      ++k;
    });
  }
};

template <class Matrix, class Exec>
Matrix tangle_matrix(const Exec& exec, const Tangle& tangle, int block_size, const problems::RowRange& range) {
  using Ordinal = typename Matrix::ordinal_type;
  const TangleRow row{tangle, range.begin};
  return build_by_rows<Matrix>(exec, block_size, static_cast<Ordinal>(range.size()),
                               static_cast<Ordinal>(tangle.num_rows), row, row);
}

}  // namespace ashlar::testing
