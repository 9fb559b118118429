#pragma once

#include <ashlar/problems/hex_grid.hpp>
#include <ashlar/problems/row_range.hpp>
#include <cstdint>
#include <vector>

namespace ashlar::problems {

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
