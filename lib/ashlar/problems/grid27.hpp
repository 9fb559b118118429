#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/problems/impl/build_range.hpp>
#include <ashlar/problems/lattice.hpp>

namespace ashlar::problems {

namespace impl {

/// A number that depends on all bits of its argument (the finalizer of splitmix64).
KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t a) {
  a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9u;
  a = (a ^ (a >> 27)) * 0x94d049bb133111ebu;
  return a ^ (a >> 31);
}

/// An odd multiple of 2^-23 in (-1, 1): never zero, and the same number as float and as double.
KOKKOS_INLINE_FUNCTION double unit_value(std::uint64_t hash) {
  const auto odd = static_cast<std::int64_t>(2 * (hash >> 41) + 1) - (std::int64_t(1) << 23);
  return static_cast<double>(odd) / (std::int64_t(1) << 23);
}

template <class Scalar, class Ordinal>
struct FillGrid27 {
  Lattice lattice;

  template <class Row>
  KOKKOS_INLINE_FUNCTION void operator()(Ordinal i, const Row& row) const {
    const LatticePoint p = lattice.point(i);
    lattice.for_each_neighbour(p, [&](int k, int dx, int dy, int dz) {
      const auto j = static_cast<Ordinal>(lattice.number({p.x + dx, p.y + dy, p.z + dz}));
      row.column(k) = j;
      write_block(i, j, row, k);
    });
  }

 private:
  template <class Row>
  KOKKOS_INLINE_FUNCTION void write_block(Ordinal i, Ordinal j, const Row& row, int k) const {
    // An entry and its mirror image hash the same four numbers: the numbers of the one in the upper triangle.
    const int b = row.block_size();
    const bool upper = i <= j;
    const auto first = static_cast<std::uint64_t>(upper ? i : j), second = static_cast<std::uint64_t>(upper ? j : i);
    const std::uint64_t block = mixed(mixed(first + 0x9e3779b97f4a7c15u) + second);
    for (int r = 0; r < b; ++r) {
      for (int c = 0; c < b; ++c) {
        const bool keep = i == j ? r <= c : upper;
        const auto u = static_cast<std::uint64_t>(keep ? r : c), v = static_cast<std::uint64_t>(keep ? c : r);
        const double value = i == j && r == c ? 27.0 * b : unit_value(mixed(block + (u << 32) + v));
        row.value(k, r, c) = static_cast<Scalar>(value);
      }
    }
  }
};

inline std::string grid27_name(const Lattice& lattice) {
  return text("grid27 on ", lattice.nx(), " x ", lattice.ny(), " x ", lattice.nz(), " points");
}

template <class Matrix, class Exec>
Matrix grid27_rows(const Exec& exec, const Lattice& lattice, int block_size, const RowRange& rows) {
  const FillGrid27<typename Matrix::scalar_type, typename Matrix::ordinal_type> fill{lattice};
  return build_range<Matrix>(exec, block_size, lattice.num_points(), rows, CountNeighbours{lattice}, fill);
}

}  // namespace impl

/// A grid of nx x ny x nz points, each coupled to the up to 27 around it by a dense b x b block: for performance tests.
///
/// Entries are pseudo-random in (-1, 1), none zero, and depend on block row, block column, row and column alone: the
/// same on every device, and a float matrix holds the double one's very numbers. The diagonal is 27 b, more than the up
/// to 27 b - 1 other entries of its row can add up to: symmetric to the last bit, strictly diagonally dominant, SPD.
///
/// Shapes   nx*ny*nz block rows, numbered as `Lattice` does; (3nx-2)(3ny-2)(3nz-2) blocks.
/// Memory   allocates the matrix in Matrix::memory_space, which `exec` reaches.
/// Async    waits for `exec` once; the fill is enqueued.
/// Throws   ArgumentError, BlockSizeError, ShapeError (types too narrow), all before anything is allocated.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix grid27(const Exec& exec, int nx, int ny, int nz, int block_size) {
  const Lattice lattice({nx, ny, nz});
  impl::check_fits<Matrix>(impl::grid27_name(lattice), block_size, lattice.num_points(), lattice.sum_of_neighbours());
  return impl::grid27_rows<Matrix>(exec, lattice, block_size, {0, lattice.num_points()});
}

/// Some block rows of the same matrix: a rank's part.
///
/// Throws   ArgumentError besides, where there are no such rows; ShapeError where the types are too narrow for these
///          rows.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix grid27(const Exec& exec, int nx, int ny, int nz, int block_size, const RowRange& rows) {
  const Lattice lattice({nx, ny, nz});
  impl::check_fits<Matrix>(impl::grid27_name(lattice), block_size, lattice.num_points());
  impl::check_range(impl::grid27_name(lattice), rows, lattice.num_points());
  return impl::grid27_rows<Matrix>(exec, lattice, block_size, rows);
}

}  // namespace ashlar::problems
