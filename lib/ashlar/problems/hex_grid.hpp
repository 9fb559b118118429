#pragma once

#include <array>
#include <ashlar/problems/lattice.hpp>
#include <cstdint>
#include <optional>
#include <vector>

/// The trilinear hexahedron of eight nodes, as a box hx x hy x hz with its edges along the axes.
///
/// Node a sits at the corner (a/4, a/2 mod 2, a mod 2), z fastest, as the points of a `Lattice` are numbered. Integrals
/// are sums over the 2x2x2 Gauss points, which is exact here: no factor of an integrand has a degree above 2 in one
/// variable, and Gauss points take 3.

namespace ashlar::problems {

/// The eight shape functions at one point of the reference cube [-1,1]^3.
struct Hex8Shape {
  std::array<double, 8> value;
  /// gradient[a][d]: derivative of function a along reference axis d.
  std::array<std::array<double, 3>, 8> gradient;
};

Hex8Shape hex8_shape(double xi, double eta, double zeta);

/// Entry [8a + b]: the integral of grad N_a . grad N_b over the box of these edges.
std::array<double, 64> hex8_laplacian(const std::array<double, 3>& edges);

/// Entry [8a + b]: the integral of N_a N_b.
std::array<double, 64> hex8_mass(const std::array<double, 3>& edges);

/// Isotropic linear elasticity: entry [24(3a + i) + 3b + j] couples direction i at node a to direction j at node b.
///
/// The integral of lambda d_i N_a d_j N_b + mu (d_j N_a d_i N_b + delta_ij grad N_a . grad N_b), with the Lame
/// constants lambda = E nu / ((1 + nu)(1 - 2 nu)) and mu = E / (2 (1 + nu)). The caller answers for E > 0 and -1 < nu <
/// 1/2.
std::array<double, 576> hex8_stiffness(const std::array<double, 3>& edges, double youngs_modulus,
                                       double poissons_ratio);

/// A box cut into equal hexahedra, nx x ny x nz nodes at the points of a `Lattice`.
class HexGrid {
 public:
  /// Without lengths the elements are cubes and the box is 1 high in z: h = 1/(nz-1), (nx-1)h x (ny-1)h x 1.
  ///
  /// Throws   ArgumentError where a side has fewer than 2 nodes or a length is not positive and finite.
  explicit HexGrid(std::array<int, 3> nodes, std::optional<std::array<double, 3>> lengths = {});

  const Lattice& lattice() const { return lattice_; }
  std::array<int, 3> nodes() const { return {lattice_.nx(), lattice_.ny(), lattice_.nz()}; }
  const std::array<double, 3>& lengths() const { return lengths_; }
  /// The edges of one element.
  std::array<double, 3> spacing() const;

  std::int64_t num_nodes() const { return lattice_.num_points(); }
  std::int64_t num_cells() const;
  /// The blocks of a matrix that couples the nodes of each element: (3nx-2)(3ny-2)(3nz-2), nothing built.
  ///
  /// Throws   ArgumentError where 64 bits do not hold it.
  /// Source   Table 1 of the streaming paper: 23,393,656 for 96^3 nodes, 449,455,096 for 256^3.
  std::int64_t num_blocks() const { return lattice_.sum_of_neighbours(); }

 private:
  Lattice lattice_;
  std::array<double, 3> lengths_;
};

/// The coordinates of all nodes, x y z of node 0, then of node 1: 3 * num_nodes numbers.
std::vector<double> hex_points(const HexGrid& grid);

/// The nodes of all elements, eight each in VTK's order for a hexahedron (type 12): the corners of the face z = 0
/// counter-clockwise seen from above, then those over them.
std::vector<std::int64_t> hex_cells(const HexGrid& grid);

/// A piece of a mesh: some elements, and a range of nodes that has all of theirs.
struct HexPiece {
  RowRange nodes;
  std::vector<double> points;       ///< x y z of each of these nodes
  std::vector<std::int64_t> cells;  ///< as hex_cells(), nodes counted from nodes.begin
};

/// The nodes of the piece of the elements whose first node is among `owned`: these, and those behind them up to the
/// last of the last such element. None for none.
///
/// So ranges that have all nodes among them give pieces that have all elements, each once, and share nodes.
///
/// Throws   ArgumentError where there are no such nodes.
RowRange hex_piece_nodes(const HexGrid& grid, const RowRange& owned);

/// That piece: the same coordinates to the last bit as hex_points() gives, and the elements in the order of
/// hex_cells().
HexPiece hex_piece(const HexGrid& grid, const RowRange& owned);

}  // namespace ashlar::problems
