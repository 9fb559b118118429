#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/lists.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/problems/hex_grid.hpp>
#include <ashlar/problems/impl/build_range.hpp>
#include <ashlar/problems/impl/hex_rows.hpp>
#include <ashlar/problems/lattice.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::problems {

/// An elastic box held at its face x = 0 and pulled at its face x = L: the problem, as its options.
///
/// Unknowns of a node are numbered together; nodes are numbered as `Lattice` does. What the three cases are:
///
/// dof 3    Isotropic linear elasticity, displacements ux uy uz. The face x = 0 is clamped. Loads: self weight in -z in
///          the volume, traction on the face x = L.
/// dof 1    -div grad u = weight on the same mesh, u = 0 at x = 0, du/dn = |traction| at x = L, du/dn = 0 elsewhere.
///          Young's modulus and Poisson's ratio are not used.
/// dof 6    Synthetic, for dense 6x6 blocks: two solids in the same place, u1 and u2 (unknowns u1x u1y u1z u2x u2y
/// u2z),
///          K6 = C (x) K3 + coupling * E / lx^2 * mass (x) M, where C = [[1, 1/2], [1/2, 1]] makes each feel the
///          other's strain and M = I/2 + ones/12 (6x6) ties all six displacements at a point together. C and M are SPD
///          (eigenvalues 1/2, 3/2; 1/2, 1), so K6 is SPD. Both solids are clamped and loaded as the one of dof 3 is.
struct Cantilever {
  /// Nodes along x, y, z; at least 2 each.
  std::array<int, 3> nodes{33, 33, 33};
  /// lx, ly, lz; without them cubic elements and lz = 1.
  std::optional<std::array<double, 3>> lengths = std::nullopt;
  /// Unknowns of a node, which is the block size: 1, 3 or 6.
  int dof = 3;
  double youngs_modulus = 1;
  double poissons_ratio = 0.3;
  /// Density times gravity: the self weight of a unit of volume.
  double weight = 0;
  /// Force on a unit of area of the face x = L.
  std::array<double, 3> traction{0, 0, -0.001};
  /// dof 6: the factor of the coupling term. Without the term (0) K6 is still SPD, its blocks no longer dense.
  double coupling = 1;
};

/// Throws   ArgumentError if an option is out of range.
void check(const Cantilever& problem);

/// The problem's mesh. Throws as `check` does.
HexGrid cantilever_grid(const Cantilever& problem);

/// The matrix of one element, (8 dof) x (8 dof), block after block: entry [((8a + b) dof + r) dof + c] couples unknown
/// r of node a to unknown c of node b. Throws as `check` does.
std::vector<double> cantilever_element_matrix(const Cantilever& problem);

namespace impl {

/// The elements' volume load and the end face's load, each for the unknowns of one node and a unit of measure.
HexLoad<6> cantilever_hex_load(const Cantilever& problem, bool clamp);

inline std::string cantilever_name(const Cantilever& problem) {
  return text("cantilever of ", problem.nodes[0], " x ", problem.nodes[1], " x ", problem.nodes[2], " nodes");
}

/// Some block rows, or all where there is no range.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix cantilever_matrix(const Exec& exec, const Cantilever& problem, bool clamp,
                         const std::optional<RowRange>& range = std::nullopt) {
  check(problem);
  const HexGrid grid = cantilever_grid(problem);
  const std::string name = cantilever_name(problem);
  check_fits<Matrix>(name, problem.dof, grid.num_nodes(), range ? 0 : grid.num_blocks());
  const RowRange rows = range.value_or(RowRange{0, grid.num_nodes()});
  check_range(name, rows, grid.num_nodes());
  const auto element = ashlar::impl::view_from<typename Matrix::memory_space>(exec, "ashlar::element_matrix",
                                                                              cantilever_element_matrix(problem));
  switch (problem.dof) {
    case 1:
      return build_hex_rows<1, Matrix>(exec, grid.lattice(), element, clamp, rows);
    case 3:
      return build_hex_rows<3, Matrix>(exec, grid.lattice(), element, clamp, rows);
    default:
      return build_hex_rows<6, Matrix>(exec, grid.lattice(), element, clamp, rows);
  }
}

template <scalar Scalar, memory_space Space, execution_space Exec>
Kokkos::View<Scalar*, Space> cantilever_load(const Exec& exec, const Cantilever& problem, bool clamp,
                                             const std::optional<RowRange>& range = std::nullopt) {
  const HexLoad<6> load = cantilever_hex_load(problem, clamp);
  const RowRange nodes = range.value_or(RowRange{0, load.lattice.num_points()});
  check_range(cantilever_name(problem), nodes, load.lattice.num_points());
  Kokkos::View<Scalar*, Space> result(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::cantilever_load"),
                                      static_cast<std::size_t>(nodes.size()) * static_cast<std::size_t>(problem.dof));
  fill_hex_load(exec, load, problem.dof, nodes, result);
  return result;
}

}  // namespace impl

/// The stiffness matrix with the clamped face built in: SPD, symmetric to the last bit, and the same bits each time.
///
/// The rows and columns of the nodes at x = 0 are zero, but stored, so the pattern is the full one of `HexGrid`. Their
/// diagonal keeps the diagonal of the matrix before, which keeps the conditioning, too.
///
/// Shapes   num_nodes block rows of block size dof, grid.num_blocks() blocks.
/// Memory   allocates the matrix in Matrix::memory_space, which `exec` reaches, and the element matrix beside it.
/// Async    waits for `exec` while setting up; the fill is enqueued.
/// Throws   ArgumentError as `check` does; ShapeError where the ordinal or the offset type is too narrow, before
///          anything is allocated.
/// Source   the cantilever of the streaming paper; each block is the sum over the at most 8 elements that its two nodes
///          share, each row is one thread's: no atomics.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix cantilever_matrix(const Exec& exec, const Cantilever& problem) {
  return impl::cantilever_matrix<Matrix>(exec, problem, true);
}

/// Some block rows of the same matrix: a rank's part. Nodes are numbered along x last, so that even parts are slices of
/// the beam.
///
/// Throws   ArgumentError besides, where there are no such rows; ShapeError where the types are too narrow for these
///          rows.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix cantilever_matrix(const Exec& exec, const Cantilever& problem, const RowRange& rows) {
  return impl::cantilever_matrix<Matrix>(exec, problem, true, rows);
}

/// The stiffness matrix of the free body, before boundary conditions: singular for dof 1 and 3 (constants, rigid-body
/// modes), and for dof 6 where the coupling is 0. Otherwise as `cantilever_matrix`.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix cantilever_matrix_unconstrained(const Exec& exec, const Cantilever& problem) {
  return impl::cantilever_matrix<Matrix>(exec, problem, false);
}

/// The right-hand side that belongs to `cantilever_matrix`: weight and traction, zero at the clamped nodes.
///
/// Shapes   num_nodes * dof entries.
/// Memory   allocates the result in Space, which `exec` reaches.
/// Async    enqueued on `exec`; no fence.
/// Throws   ArgumentError as `check` does.
template <scalar Scalar, memory_space Space = Kokkos::DefaultExecutionSpace::memory_space, execution_space Exec>
Kokkos::View<Scalar*, Space> cantilever_load(const Exec& exec, const Cantilever& problem) {
  return impl::cantilever_load<Scalar, Space>(exec, problem, true);
}

/// The entries of some nodes: a rank's part, of nodes.size() * dof entries. ArgumentError where there are no such
/// nodes.
template <scalar Scalar, memory_space Space = Kokkos::DefaultExecutionSpace::memory_space, execution_space Exec>
Kokkos::View<Scalar*, Space> cantilever_load(const Exec& exec, const Cantilever& problem, const RowRange& nodes) {
  return impl::cantilever_load<Scalar, Space>(exec, problem, true, nodes);
}

/// The load before boundary conditions: its entries add up to traction * area + weight * volume. Otherwise as
/// `cantilever_load`.
template <scalar Scalar, memory_space Space = Kokkos::DefaultExecutionSpace::memory_space, execution_space Exec>
Kokkos::View<Scalar*, Space> cantilever_load_unconstrained(const Exec& exec, const Cantilever& problem) {
  return impl::cantilever_load<Scalar, Space>(exec, problem, false);
}

}  // namespace ashlar::problems
