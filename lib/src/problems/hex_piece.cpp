#include <algorithm>
#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/problems/hex_piece.hpp>
#include <ashlar/problems/impl/build_range.hpp>

namespace ashlar::problems {

RowRange hex_piece_nodes(const HexGrid& grid, const RowRange& owned) {
  const Lattice& lattice = grid.lattice();
  impl::check_range(text("mesh of ", lattice.nx(), " x ", lattice.ny(), " x ", lattice.nz(), " nodes"), owned,
                    grid.num_nodes());
  if (owned.size() == 0) return owned;
  // The element of node i ends with node i + last.
  const std::int64_t last = lattice.number({1, 1, 1});
  return {owned.begin, std::min(owned.end + last, grid.num_nodes())};
}

HexPiece hex_piece(const HexGrid& grid, const RowRange& owned) {
  const Lattice& lattice = grid.lattice();
  HexPiece piece;
  piece.nodes = hex_piece_nodes(grid, owned);
  const std::array<int, 3> n = grid.nodes();
  const auto coordinate = [&](int d, int i) { return i * grid.lengths()[d] / (n[d] - 1); };
  piece.points.reserve(3 * static_cast<std::size_t>(piece.nodes.size()));
  for (std::int64_t node = piece.nodes.begin; node < piece.nodes.end; ++node) {
    const LatticePoint p = lattice.point(node);
    piece.points.insert(piece.points.end(), {coordinate(0, p.x), coordinate(1, p.y), coordinate(2, p.z)});
  }
  constexpr LatticePoint vtk_corners[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                           {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  for (std::int64_t node = owned.begin; node < owned.end; ++node) {
    const LatticePoint p = lattice.point(node);
    if (p.x + 1 == n[0] || p.y + 1 == n[1] || p.z + 1 == n[2]) continue;
    for (const LatticePoint& c : vtk_corners) {
      piece.cells.push_back(lattice.number({p.x + c.x, p.y + c.y, p.z + c.z}) - piece.nodes.begin);
    }
  }
  return piece;
}

}  // namespace ashlar::problems
