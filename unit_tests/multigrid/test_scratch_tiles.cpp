// Tiles of a box in scratch memory: they have each cell once, and around them all that the operator reads of others.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/multigrid/impl/box_in_scratch.hpp>  // nothing else shows sizes of tiles
#include <ashlar/multigrid/impl/pairs_around.hpp>    // nothing else shows which of them is wrong
#include <map>

namespace ashlar::testing {
namespace {

using namespace ashlar::multigrid;
using multigrid::impl::CellAround, multigrid::impl::MakePairsAround, multigrid::impl::ScratchTiles;

TEST(ScratchTiles, HaveEachCellOnceAndAreNoNarrowerThanABoundaryReads) {
  for (const int dim : {10, 12, 16, 18, 20, 22, 28, 34, 40}) {
    const ScratchTiles tiles(dim);
    EXPECT_TRUE(tiles.are_wide()) << dim;
    EXPECT_EQ(tiles.width % 2, 0) << dim;
    int cells = 0;
    for (int tile = 0; tile < tiles.count(); ++tile) {
      const Index3 first = tiles.first(tile);
      int here = 1;
      for (int d = 0; d < 3; ++d) {
        const int width = std::min(tiles.width, dim - first[d]);
        EXPECT_GE(width, 4) << dim;
        here *= width;
      }
      cells += here;
    }
    EXPECT_EQ(cells, dim * dim * dim);
  }
  EXPECT_FALSE(ScratchTiles(26).are_wide()) << "the last one would have two cells in a direction";
}

TEST(ScratchTiles, AreDistributedToTeamsEachOnce) {
  const ScratchTiles tiles(20);
  for (const int num_teams : {1, 5, 27, 132}) {
    int count = 0;
    for (int team = 0; team < num_teams; ++team) count += tiles.count_of(team, num_teams);
    EXPECT_EQ(count, tiles.count()) << num_teams << " teams";
  }
}

/// Whether the operator reads a cell at this distance.
bool reads(int i, int j, int k) {
  const int far = i * i + j * j + k * k;
  const bool is_straight = (i == 0) + (j == 0) + (k == 0) == 2;
  return is_straight ? far <= 4 : far == 2;
}

TEST(PairsAround, AreTheCellsOfOtherTilesThatTheOperatorReads) {
  for (const int dim : {10, 16, 20}) {
    const ScratchTiles tiles(dim);
    const BoxLayout layout{dim, 2}, in_scratch = tiles.layout();
    constexpr int team = 1, num_teams = 3;  // some tiles of several
    const MakePairsAround make{tiles, layout, team, num_teams};
    std::map<int, int> found;  // places in the level by those in scratch memory
    for (int number = 0; number < make.count(); ++number) {
      const auto pair = make(number);
      if (pair.first.at < 0) continue;
      for (const int colour : {0, 1}) {
        const CellAround cell = pair.of_colour(colour);
        EXPECT_TRUE(found.emplace(cell.here, cell.at).second) << "twice";
      }
    }
    int wanted = 0, wrong = 0;
    for (int slot = 0; slot < tiles.count_of(team, num_teams); ++slot) {
      const Index3 first = tiles.first(team + slot * num_teams);
      const int n = tiles.width;
      const auto is_own = [n](int i) { return i >= 0 && i < n; };
      for (int c = 0; c < in_scratch.volume(); ++c) {
        const int row = in_scratch.row(), i = c % row - 2, j = c / row % row - 2, k = c / (row * row) - 2;
        if ((is_own(i) && is_own(j) && is_own(k)) || !tiles.is_in_box(first[0] + i, first[1] + j, first[2] + k)) {
          continue;
        }
        // From the own cell that is nearest to it.
        const auto beyond = [n](int x) { return x < 0 ? x : x >= n ? x - n + 1 : 0; };
        if (!reads(beyond(i), beyond(j), beyond(k))) continue;
        ++wanted;
        const auto at = found.find(slot * int(in_scratch.volume()) + c);
        wrong += int(at == found.end() || at->second != layout.at(0, first[0] + i, first[1] + j, first[2] + k));
      }
    }
    EXPECT_EQ(wrong, 0) << dim;
    EXPECT_EQ(int(found.size()), wanted) << dim;
  }
}

}  // namespace
}  // namespace ashlar::testing
