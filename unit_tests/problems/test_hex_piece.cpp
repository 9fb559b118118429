// Pieces of a mesh against all of it.
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/problems/hex_grid.hpp>
#include <cstdint>
#include <vector>

namespace ashlar::testing {
namespace {

using problems::HexGrid;
using problems::HexPiece;
using problems::RowRange;

/// Cuts at which a piece ends within a column, with a face, before the last nodes, and has nothing.
TEST(HexPiece, TogetherTheyAreTheMesh) {
  for (const HexGrid& grid : {HexGrid({5, 4, 3}), HexGrid({2, 3, 4}, {{3, 1, 0.7}})}) {
    const std::int64_t n = grid.num_nodes();
    const std::vector<double> points = problems::hex_points(grid);
    for (const std::vector<std::int64_t>& cuts :
         {std::vector<std::int64_t>{0, n}, {0, 7, 7, n}, {0, n / 2, n}, {0, 12, n - 1, n}, {0, 0, 1, 2, n}}) {
      std::vector<std::int64_t> cells;
      for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
        const RowRange owned{cuts[k], cuts[k + 1]};
        const HexPiece piece = problems::hex_piece(grid, owned);
        const RowRange nodes = problems::hex_piece_nodes(grid, owned);
        EXPECT_EQ(piece.nodes.begin, nodes.begin);
        EXPECT_EQ(piece.nodes.end, nodes.end);
        EXPECT_LE(nodes.begin, owned.begin);
        EXPECT_GE(nodes.end, owned.end);
        EXPECT_EQ(piece.points, std::vector<double>(points.begin() + 3 * nodes.begin, points.begin() + 3 * nodes.end));
        for (const std::int64_t node : piece.cells) {
          EXPECT_GE(node, 0);
          EXPECT_LT(node, nodes.size());
          cells.push_back(nodes.begin + node);
        }
      }
      EXPECT_EQ(cells, problems::hex_cells(grid));
    }
  }
}

TEST(HexPiece, OfNothingIsNothing) {
  const HexGrid grid({3, 3, 3});
  const HexPiece piece = problems::hex_piece(grid, {9, 9});
  EXPECT_EQ(piece.nodes.size(), 0);
  EXPECT_TRUE(piece.points.empty());
  EXPECT_TRUE(piece.cells.empty());
}

TEST(HexPiece, OfNodesThatAreNotThereIsRefused) {
  const HexGrid grid({3, 3, 3});
  for (const RowRange& range : {RowRange{-1, 3}, {5, 4}, {0, 28}}) {
    EXPECT_THROW(problems::hex_piece(grid, range), ArgumentError);
  }
}

}  // namespace
}  // namespace ashlar::testing
