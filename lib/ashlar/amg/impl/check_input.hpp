#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

// Checks of a hierarchy's input, and of new values.

namespace ashlar::amg::impl {

/// The largest entry of a mode, infinity if one is not finite.
template <class Modes>
struct LargestEntry {
  Modes modes;
  int k;

  KOKKOS_FUNCTION void operator()(std::int64_t row, double& largest) const {
    const double size = Kokkos::abs(modes(row, k));
    if (!(size <= largest)) largest = Kokkos::isfinite(size) ? size : Kokkos::Experimental::infinity_v<double>;
  }
};

/// Entries of two graphs of the same sizes that differ.
template <class Graph>
struct CountDifferences {
  typename Graph::row_ptr_view row_ptr, other_row_ptr;
  typename Graph::col_idx_view col_idx, other_col_idx;

  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& count) const {
    if (k < std::int64_t(row_ptr.extent(0))) count += row_ptr(k) != other_row_ptr(k);
    if (k < std::int64_t(col_idx.extent(0))) count += col_idx(k) != other_col_idx(k);
  }
};

/// Whether two graphs have the same blocks. Waits for `exec`.
template <class Exec, class Graph>
bool are_alike(const Exec& exec, const Graph& a, const Graph& b) {
  if (a.row_ptr().extent(0) != b.row_ptr().extent(0) || a.col_idx().extent(0) != b.col_idx().extent(0)) return false;
  if (a.row_ptr().data() == b.row_ptr().data() && a.col_idx().data() == b.col_idx().data()) return true;
  const std::size_t longest = std::max(a.row_ptr().extent(0), a.col_idx().extent(0));
  std::int64_t differences = 0;
  Kokkos::parallel_reduce("ashlar::amg[same structure]",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(longest)),
                          CountDifferences<Graph>{a.row_ptr(), b.row_ptr(), a.col_idx(), b.col_idx()}, differences);
  exec.fence("ashlar::amg: same structure");
  return differences == 0;
}

/// Throws unless A can have coarse levels with these modes. Waits for `exec`.
template <class Exec, class Matrix, class Modes>
void check_input(const Exec& exec, const Matrix& a, const Modes& modes) {
  if (a.num_block_rows() != a.num_block_cols()) {
    throw ShapeError(text("amg: a matrix of ", a.num_block_rows(), " x ", a.num_block_cols(), " blocks"),
                     "coarse levels are made of a square matrix", "check how the matrix was built");
  }
  if (std::int64_t(a.num_block_rows()) > std::numeric_limits<std::int32_t>::max()) {
    throw ShapeError(text("amg: ", a.num_block_rows(), " block rows"), "nodes are counted in 32 bits",
                     "distribute the matrix");
  }
  if (a.block_size() > 64) {
    throw BlockSizeError(a.block_size(), text("amg: blocks of size ", a.block_size()), "they have 64 rows at most",
                         "take smaller blocks");
  }
  const auto m = static_cast<int>(modes.extent(1));
  if (std::int64_t(modes.extent(0)) != a.num_rows() || m < 1 || m > max_modes) {
    throw ShapeError(text("amg: a near-null space of ", modes.extent(0), " x ", m, " entries"),
                     text("the matrix has ", a.num_rows(), " rows, and there are 1 to ", max_modes, " modes"),
                     "pass a row for each row of the matrix and a column for each mode");
  }
  for (int k = 0; k < m; ++k) {
    double largest = 0;
    Kokkos::parallel_reduce("ashlar::amg[check modes]",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.num_rows()),
                            LargestEntry<Modes>{modes, k}, Kokkos::Max<double>(largest));
    exec.fence("ashlar::amg: a mode is there");
    if (a.num_rows() > 0 && !(largest > 0 && Kokkos::isfinite(largest))) {
      throw NumericalError(-1, text("amg: mode ", k, largest > 0 ? " is not finite" : " is 0"),
                           "each mode is a vector that the matrix maps to nearly zero", "leave it out");
    }
  }
}

}  // namespace ashlar::amg::impl
