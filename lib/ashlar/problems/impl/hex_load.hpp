#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/problems/lattice.hpp>
#include <ashlar/problems/row_range.hpp>
#include <string>

namespace ashlar::problems::impl {

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
