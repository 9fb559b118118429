#pragma once

#include <array>
#include <ashlar/problems/lattice.hpp>
#include <cstdint>
#include <optional>
#include <vector>

namespace ashlar::problems {

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

}  // namespace ashlar::problems
