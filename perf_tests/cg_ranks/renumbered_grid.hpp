#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/problems/lattice.hpp>
#include <cstdint>

namespace ashlar::perf {

/// A numbering of points that keeps each in its window of 4096 and scatters it there, as a mesh generator numbers nodes
/// that lie close together. Points of the last window, which is not full, keep their numbers.
class ScatteredNumbers {
 public:
  explicit ScatteredNumbers(std::int64_t num_points) : first_kept_(num_points / window * window) {}

  KOKKOS_INLINE_FUNCTION std::int64_t number_of(std::int64_t point) const {
    if (point >= first_kept_) return point;
    const auto product = static_cast<std::uint32_t>(point % window) * factor % window;
    return point / window * window + mixed(product);
  }
  KOKKOS_INLINE_FUNCTION std::int64_t point_of(std::int64_t number) const {
    if (number >= first_kept_) return number;
    const auto product = mixed(static_cast<std::uint32_t>(number % window));
    return number / window * window + product * inverse_of_factor % window;
  }

 private:
  static constexpr std::uint32_t window = 4096, factor = 2533, inverse_of_factor = 3053;
  static_assert(factor * inverse_of_factor % window == 1);

  /// Its own inverse, as both halves of the 12 bits are moved whole.
  KOKKOS_INLINE_FUNCTION static std::uint32_t mixed(std::uint32_t number) { return number ^ (number >> 6); }

  std::int64_t first_kept_;
};

/// How many blocks a row of renumbered_grid() has, and which columns they are in, ascending.
struct RenumberedRow {
  problems::Lattice lattice;
  ScatteredNumbers numbers;
  std::int64_t first_row;

  KOKKOS_INLINE_FUNCTION problems::LatticePoint point(std::int64_t row) const {
    return lattice.point(numbers.point_of(first_row + row));
  }
  KOKKOS_INLINE_FUNCTION int operator()(std::int64_t row) const { return lattice.num_neighbours(point(row)); }
  template <class Ordinal, class Row>
  KOKKOS_INLINE_FUNCTION void operator()(Ordinal i, const Row& row) const {
    const problems::LatticePoint p = point(i);
    lattice.for_each_neighbour(p, [&](int k, int dx, int dy, int dz) {
      const auto column = static_cast<Ordinal>(numbers.number_of(lattice.number({p.x + dx, p.y + dy, p.z + dz})));
      int at = k;
      for (; at > 0 && row.column(at - 1) > column; --at) row.column(at) = row.column(at - 1);
      row.column(at) = column;
    });
  }
};

/// Block rows `range` of the pattern of problems::grid27 whose points have scattered numbers: columns of a row lie
/// apart, and neighbours of a row have other columns, as in the matrix of an unstructured mesh. Values are zero.
template <class Matrix, class Exec>
Matrix renumbered_grid(const Exec& exec, const problems::Lattice& lattice, int block_size,
                       const problems::RowRange& range) {
  using Ordinal = typename Matrix::ordinal_type;
  const RenumberedRow row{lattice, ScatteredNumbers(lattice.num_points()), range.begin};
  return build_by_rows<Matrix>(exec, block_size, static_cast<Ordinal>(range.size()),
                               static_cast<Ordinal>(lattice.num_points()), row, row);
}

}  // namespace ashlar::perf
