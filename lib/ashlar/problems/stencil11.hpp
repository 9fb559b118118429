#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/problems/impl/build_range.hpp>
#include <ashlar/problems/lattice.hpp>

namespace ashlar::problems {

/// The number of non-zeros of the 11-point stencil on nx x ny x nz points, nothing built.
///
/// Throws   ArgumentError where a side has no point, or 64 bits do not hold it.
/// Source   Table 1 of the multi-GPU paper: 23 M on 128^3 points, 183 M on 256^3.
std::int64_t stencil11_num_blocks(int nx, int ny, int nz);

namespace impl {

/// The points that the stencil of p reaches: called with the offset of each, ascending in number.
template <class Visit>
KOKKOS_INLINE_FUNCTION void for_stencil11(const Lattice& lattice, const LatticePoint& p, const Visit& visit) {
  if (p.x > 0) visit(-1, 0, 0);
  for (int dy = -(p.y > 0); dy <= int(p.y + 1 < lattice.ny()); ++dy) {
    for (int dz = -(p.z > 0); dz <= int(p.z + 1 < lattice.nz()); ++dz) visit(0, dy, dz);
  }
  if (p.x + 1 < lattice.nx()) visit(1, 0, 0);
}

struct CountStencil11 {
  Lattice lattice;
  KOKKOS_INLINE_FUNCTION int operator()(std::int64_t i) const {
    int count = 0;
    for_stencil11(lattice, lattice.point(i), [&](int, int, int) { ++count; });
    return count;
  }
};

template <class Scalar, class Ordinal>
struct FillStencil11 {
  Lattice lattice;

  template <class Row>
  KOKKOS_INLINE_FUNCTION void operator()(Ordinal i, const Row& row) const {
    const LatticePoint p = lattice.point(i);
    const int b = row.block_size();
    int k = 0;
    for_stencil11(lattice, p, [&](int dx, int dy, int dz) {
      row.column(k) = static_cast<Ordinal>(lattice.number({p.x + dx, p.y + dy, p.z + dz}));
      const Scalar stencil = dx == 0 && dy == 0 && dz == 0 ? 10 : -1;
      for (int r = 0; r < b; ++r) {
        for (int c = 0; c < b; ++c) {
          row.value(k, r, c) = stencil * ((r == c ? Scalar(0.5) : Scalar(0)) + Scalar(0.5) / Scalar(b));
        }
      }
      ++k;
    });
  }
};

inline std::string stencil11_name(const Lattice& lattice) {
  return text("stencil11 on ", lattice.nx(), " x ", lattice.ny(), " x ", lattice.nz(), " points");
}

template <class Matrix, class Exec>
Matrix stencil11_rows(const Exec& exec, const Lattice& lattice, int block_size, const RowRange& rows) {
  const FillStencil11<typename Matrix::scalar_type, typename Matrix::ordinal_type> fill{lattice};
  return build_range<Matrix>(exec, block_size, lattice.num_points(), rows, CountStencil11{lattice}, fill);
}

}  // namespace impl

/// The 11-point stencil of the multi-GPU paper on nx x ny x nz points: the 7 points of the axes and the four in-plane
/// diagonals, here in the y-z plane, whose points are numbered together.
///
/// The paper names no values. Here it is 10 in the middle and -1 at the ten neighbours, with zeros outside the box:
/// diagonally dominant, strictly so at the boundary, and irreducible, hence SPD, with a condition that grows as n^2
/// does for the Laplacian that it is. For block size b each entry is multiplied by the b x b matrix I/2 + ones/(2b),
/// whose eigenvalues are 1/2 and 1: the Kronecker product is SPD, and for b = 1 the stencil itself.
///
/// Shapes   nx*ny*nz block rows, numbered as `Lattice` does; stencil11_num_blocks(nx, ny, nz) blocks.
/// Memory   allocates the matrix in Matrix::memory_space, which `exec` reaches.
/// Async    waits for `exec` once; the fill is enqueued.
/// Throws   ArgumentError, BlockSizeError, ShapeError (types too narrow), all before anything is allocated.
/// Source   Agullo et al., Task-based multi-GPU CG, Table 1 (matrices 11pts-128 and 11pts-256).
template <bcsr_matrix Matrix, execution_space Exec>
Matrix stencil11(const Exec& exec, int nx, int ny, int nz, int block_size = 1) {
  const Lattice lattice({nx, ny, nz});
  impl::check_fits<Matrix>(impl::stencil11_name(lattice), block_size, lattice.num_points(),
                           stencil11_num_blocks(nx, ny, nz));
  return impl::stencil11_rows<Matrix>(exec, lattice, block_size, {0, lattice.num_points()});
}

/// Some block rows of the same matrix: a rank's part.
///
/// Throws   ArgumentError besides, where there are no such rows; ShapeError where the types are too narrow for these
///          rows.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix stencil11(const Exec& exec, int nx, int ny, int nz, int block_size, const RowRange& rows) {
  const Lattice lattice({nx, ny, nz});
  impl::check_fits<Matrix>(impl::stencil11_name(lattice), block_size, lattice.num_points());
  impl::check_range(impl::stencil11_name(lattice), rows, lattice.num_points());
  return impl::stencil11_rows<Matrix>(exec, lattice, block_size, rows);
}

}  // namespace ashlar::problems
