#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/problems/impl/build_range.hpp>
#include <ashlar/problems/lattice.hpp>

namespace ashlar::problems::impl {

/// Fills one block row: for each neighbour, the sum of the element blocks of the elements that it shares with the node.
///
/// Along one axis the elements beside node p are the one before it (e = 0) and the one after it (e = 1). In element e
/// the node is local node 1 - e, and its neighbour at distance d local node 1 - e + d; so a neighbour at d = -1 shares
/// only e = 0, at d = 1 only e = 1, at d = 0 both where both exist. Blocks (i, j) and (j, i) add up the same elements
/// in the same order, which makes the matrix symmetric to the last bit.
template <int BlockSize, class Scalar, class Ordinal, class Space>
struct HexRows {
  Lattice lattice;
  Kokkos::View<const double*, Space> element;
  bool clamp;

  template <class Row>
  KOKKOS_INLINE_FUNCTION void operator()(Ordinal i, const Row& row) const {
    const LatticePoint p = lattice.point(i);
    lattice.for_each_neighbour(p, [&](int k, int dx, int dy, int dz) {
      row.column(k) = static_cast<Ordinal>(lattice.number({p.x + dx, p.y + dy, p.z + dz}));
      const bool diagonal = dx == 0 && dy == 0 && dz == 0;
      const bool clamped = clamp && (p.x == 0 || p.x + dx == 0);
      if (!clamped || diagonal) write_block(p, dx, dy, dz, clamped, row, k);
    });
  }

 private:
  template <class Row>
  KOKKOS_INLINE_FUNCTION void write_block(const LatticePoint& p, int dx, int dy, int dz, bool only_diagonal,
                                          const Row& row, int k) const {
    double sum[BlockSize * BlockSize] = {};
    for (int ex = first(p.x, dx); ex <= last(p.x, dx, lattice.nx()); ++ex) {
      for (int ey = first(p.y, dy); ey <= last(p.y, dy, lattice.ny()); ++ey) {
        for (int ez = first(p.z, dz); ez <= last(p.z, dz, lattice.nz()); ++ez) {
          const int a = 4 * (1 - ex) + 2 * (1 - ey) + (1 - ez);
          const int b = a + 4 * dx + 2 * dy + dz;
          const double* block = element.data() + (8 * a + b) * BlockSize * BlockSize;
          for (int entry = 0; entry < BlockSize * BlockSize; ++entry) sum[entry] += block[entry];
        }
      }
    }
    for (int r = 0; r < BlockSize; ++r) {
      for (int c = 0; c < BlockSize; ++c) {
        if (!only_diagonal || r == c) row.value(k, r, c) = static_cast<Scalar>(sum[r * BlockSize + c]);
      }
    }
  }

  KOKKOS_INLINE_FUNCTION static int first(int p, int d) { return d > 0 || (d == 0 && p == 0) ? 1 : 0; }
  KOKKOS_INLINE_FUNCTION static int last(int p, int d, int n) { return d < 0 || (d == 0 && p + 1 == n) ? 0 : 1; }
};

template <int BlockSize, class Matrix, class Exec, class Element>
Matrix build_hex_rows(const Exec& exec, const Lattice& lattice, const Element& element, bool clamp,
                      const RowRange& rows) {
  using Scalar = typename Matrix::scalar_type;
  const HexRows<BlockSize, Scalar, typename Matrix::ordinal_type, typename Matrix::memory_space> fill{lattice, element,
                                                                                                      clamp};
  return build_range<Matrix>(exec, BlockSize, lattice.num_points(), rows, CountNeighbours{lattice}, fill);
}

/// A constant load in the volume and one on the face of largest x, spread over the nodes as the shape functions do it.
///
/// In a box each of the 8 nodes of an element takes an eighth of the element's load, each of the 4 of a face a quarter.
template <int MaxDof>
struct HexLoad {
  Lattice lattice;
  bool clamp;
  /// For each unknown, what one element gives to one of its nodes, and one end face to one of its.
  double volume[MaxDof], face[MaxDof];

  KOKKOS_INLINE_FUNCTION double at(std::int64_t node, int unknown) const {
    const LatticePoint p = lattice.point(node);
    if (clamp && p.x == 0) return 0;
    const int faces = elements(p.y, lattice.ny()) * elements(p.z, lattice.nz());
    const double end = p.x + 1 == lattice.nx() ? faces * face[unknown] : 0;
    return faces * elements(p.x, lattice.nx()) * volume[unknown] + end;
  }

 private:
  KOKKOS_INLINE_FUNCTION static int elements(int i, int n) { return (i > 0) + (i + 1 < n); }
};

/// The load of the nodes of a range.
template <class Exec, int MaxDof, class Vector>
void fill_hex_load(const Exec& exec, const HexLoad<MaxDof>& load, int dof, const RowRange& nodes,
                   const Vector& result) {
  using Scalar = typename Vector::non_const_value_type;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const std::int64_t first = nodes.begin;
  Kokkos::parallel_for(
      "ashlar::cantilever_load[dof=" + std::to_string(dof) + "]", Policy(exec, 0, nodes.size()),
      KOKKOS_LAMBDA(std::int64_t i) {
        for (int unknown = 0; unknown < dof; ++unknown) {
          result(i * dof + unknown) = static_cast<Scalar>(load.at(first + i, unknown));
        }
      });
}

}  // namespace ashlar::problems::impl
