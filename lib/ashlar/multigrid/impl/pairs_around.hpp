#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/box_in_scratch.hpp>

namespace ashlar::multigrid::impl {

/// A cell of another tile.
struct CellAround {
  int at, here;  // its places in the vectors of the level, and in scratch memory
};

/// Two neighbours, one of each colour.
struct PairAround {
  CellAround first;  // its `at` is -1 where the box ends before them
  int next_at, next_here;
  int colour;  // of the first

  KOKKOS_FUNCTION CellAround of_colour(int wanted) const {
    return wanted == colour ? first : CellAround{first.at + next_at, first.here + next_here};
  }
};

/// All cells around the tiles of a team that the operator reads, by number: tile by tile the two behind each other
/// beyond a face, then two along an edge, next to it. Other tiles make these.
struct MakePairsAround {
  ScratchTiles tiles;
  BoxLayout layout;  // of the level
  int team, num_teams;

  KOKKOS_FUNCTION int num_of_faces() const { return 6 * tiles.width * tiles.width; }
  KOKKOS_FUNCTION int count_of_tile() const { return num_of_faces() + 6 * tiles.width; }
  KOKKOS_FUNCTION int count() const { return tiles.count_of(team, num_teams) * count_of_tile(); }

  KOKKOS_FUNCTION PairAround operator()(int number) const {
    const int slot = number / count_of_tile(), n = number % count_of_tile(), width = tiles.width;
    const Index3 origin = tiles.first(team + slot * num_teams);
    const BoxLayout in_scratch = tiles.layout();
    const auto beyond = [&](int side) { return side == 0 ? -1 : width; };
    // (Scalars: an array with a place that is known late would lie in memory.)
    int i = 0, j = 0, k = 0, along = 0, step = 1;
    const auto set = [&](int d, int to) { (d == 0 ? i : d == 1 ? j : k) = to; };
    if (n < num_of_faces()) {
      const int face = n / (width * width);
      along = face / 2;
      step = face % 2 == 0 ? -1 : 1;
      set(along, beyond(face % 2));
      set((along + 1) % 3, n % width);
      set((along + 2) % 3, n / width % width);
    } else {
      const int edge = (n - num_of_faces()) / (width / 2);
      along = edge / 4;
      set(along, (n - num_of_faces()) % (width / 2) * 2);
      set((along + 1) % 3, beyond(edge % 2));
      set((along + 2) % 3, beyond(edge / 2 % 2));
    }
    // (Boxes and tiles are of even size: both cells are in the box, or none.)
    const int cell[3] = {origin[0] + i, origin[1] + j, origin[2] + k};
    const bool exist = tiles.is_in_box(cell[0], cell[1], cell[2]);
    return {{exist ? int(layout.at(0, cell[0], cell[1], cell[2])) : -1,
             slot * int(in_scratch.volume()) + int(in_scratch.at(0, i, j, k))},
            step * int(layout.stride(along)),
            step * int(in_scratch.stride(along)),
            (i + j + k) & 1};
  }
};

/// The most pairs of a tile.
inline constexpr int most_pairs_around =
    6 * widest_tile_in_scratch * widest_tile_in_scratch + 6 * widest_tile_in_scratch;

/// The pairs that a member of a team has to do with. Around one tile there is nothing.
template <class Members, class Tiles>
class AroundTiles {
 public:
  KOKKOS_FUNCTION AroundTiles(const Members& group, const ScratchTiles& tiles, const BoxLayout& layout)
      : AroundTiles(group, MakePairsAround{tiles, layout, group.team, group.num_teams}) {}

  /// work(cell) for the cells of the colour.
  template <class Work>
  KOKKOS_FUNCTION void for_each(int colour, const Work& work) const {
    pairs_.for_each([&](const PairAround& pair) {
      if (pair.first.at >= 0) work(pair.of_colour(colour));
    });
  }

 private:
  KOKKOS_FUNCTION AroundTiles(const Members& group, const MakePairsAround& make) : pairs_(group, make.count(), make) {}

  Distributed<Members, MakePairsAround> pairs_;
};

template <class Members>
class AroundTiles<Members, OneScratchTile> {
 public:
  KOKKOS_FUNCTION AroundTiles(const Members&, const OneScratchTile&, const BoxLayout&) {}

  template <class Work>
  KOKKOS_FUNCTION void for_each(int, const Work&) const {}
};

}  // namespace ashlar::multigrid::impl
