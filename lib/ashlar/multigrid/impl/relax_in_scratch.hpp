#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/box_in_scratch.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/pairs_around.hpp>
#include <ashlar/multigrid/impl/thread_group.hpp>
#include <ashlar/multigrid/impl/transfer_bodies.hpp>
#include <ashlar/multigrid/stencil.hpp>

namespace ashlar::multigrid::impl {

/// All half sweeps of a smoothing with Gauss-Seidel on a level of one box, and if asked the residual after them,
/// restricted to the next coarser level. A team keeps tiles of x and the cells around them in scratch memory, one each
/// on GPUs, and a thread keeps its coefficients. After each half sweep it sends the new cells, and receives the cells
/// around its tiles from other teams. The same bits as separate kernels.
///
/// Teams that read a tile's cells own cells, of both colours, that this tile reads. So a team that has received all of
/// one exchange knows that the others have finished the one before it, and may overwrite that, and x itself at its end.
/// Between two smoothings there is a barrier of all teams.
template <class Real, class Tiles>
struct RelaxInScratch {
  static constexpr bool is_for_groups = true;
  static constexpr int points = 4;  // of the boundary's polynomial
  static_assert(ScratchTiles::narrowest >= points);

  RelaxBody<Fv4Stencil<Real>> body;  // of x, and of the first colour; `out` is x
  BoxLayout layout;
  BoundaryWeights<Real> weights;
  int num_half_sweeps;
  Real* restricted = nullptr;  // the residual, on a level of this layout; nullptr: none
  BoxLayout coarse_layout{};
  Packet* exchanged = nullptr;  // two vectors of the level, used alternately; of one tile nullptr

  /// The level is one box, and the teams have scratch memory for its tiles. A box has as many cells of either colour,
  /// and as many as the polynomial needs.
  static bool serves(const BoxLayout& layout, int num_boxes, int most_tiles) {
    if (num_boxes != 1 || layout.dim % 2 != 0 || layout.dim < points) return false;
    if constexpr (Tiles::is_one) {
      return layout.dim <= widest_tile_in_scratch;
    } else {
      const ScratchTiles tiles(layout.dim);
      return layout.dim > widest_tile_in_scratch && tiles.are_wide() && tiles.count() <= most_tiles;
    }
  }
  static_assert(2 * widest_volume_in_scratch <= scratch_size_of_team);

  template <class Members>
  KOKKOS_FUNCTION void operator()(const Members& group) const {
    const Tiles tiles(layout.dim);
    const int num_tiles = tiles.count_of(group.team, group.num_teams);
    if (num_tiles > 0) {
      relax(group, tiles, num_tiles);
    } else {
      group.exchange.begin(num_exchanges());
    }
  }

 private:
  struct Cell : CellInScratch<Real> {
    int colour;
    bool exists;
    typename RelaxBody<Fv4Stencil<Real>>::Read read;
  };

  struct MakeCell {
    const RelaxBody<Fv4Stencil<Real>>& body;
    const BoxLayout& layout;
    Tiles tiles;
    int team, num_teams;

    /// Tile by tile all cells of colour 0, then all of the other.
    KOKKOS_FUNCTION Cell operator()(int number) const {
      const int slot = tiles.slot_of(number, tiles.num_cells()), n = number - slot * tiles.num_cells();
      const int width = tiles.width, half = tiles.num_cells() / 2, pairs = width / 2;
      const int colour = n >= half ? 1 : 0, pair = n - colour * half;
      const int row = pair / pairs, j = row % width, k = row / width;
      const int i = 2 * (pair % pairs) + ((j + k + colour) & 1);
      const Index3 first = tiles.first(team + slot * num_teams);
      const bool exists = tiles.is_in_box(first[0] + i, first[1] + j, first[2] + k);
      // (A cell that does not exist reads the values of another.)
      const int at = int(exists ? layout.at(0, first[0] + i, first[1] + j, first[2] + k)
                                : layout.at(0, first[0], first[1], first[2]));
      const BoxLayout in_scratch = tiles.layout();
      const int here = slot * int(in_scratch.volume()) + int(in_scratch.at(0, i, j, k));
      return {CellInScratch<Real>(body.stencil, layout, at, here), colour, exists, body.read(at)};
    }
  };

  /// After each half sweep that somebody reads.
  KOKKOS_FUNCTION int num_exchanges() const {
    return Tiles::is_one ? 0 : num_half_sweeps - (restricted == nullptr ? 1 : 0);
  }

  template <class Members>
  KOKKOS_FUNCTION void relax(const Members& group, const Tiles& tiles, int num_tiles) const {
    const BoxLayout in_scratch = tiles.layout();
    // New values go to another place first, as cells of a colour read each other.
    Real* x = group.template scratch_of<Real>();
    Real* made = x + num_tiles * in_scratch.volume();
    const Distributed<Members, MakeCell> all_cells(group, num_tiles * tiles.num_cells(),
                                                   MakeCell{body, layout, tiles, group.team, group.num_teams});
    const MakeGhostsInScratch<Tiles> make_ghosts{tiles, group.team, group.num_teams};
    const Distributed<Members, MakeGhostsInScratch<Tiles>> all_ghosts(group, make_ghosts.count(), make_ghosts);
    const AroundTiles<Members, Tiles> around(group, tiles, layout);
    const auto for_each_cell = [&](const auto& work) {
      all_cells.for_each([&](const Cell& cell) {
        if (cell.exists) work(cell);
      });
    };
    const auto fill_ghosts = [&] {
      group.barrier();
      all_ghosts.for_each([&](const GhostsInScratch& ghosts) { ghosts.template fill<points>(x, weights); });
      group.barrier();
    };
    const auto relaxed = [&](const Cell& cell) {
      return body(cell.at, x[cell.here], cell.fluxes(x, in_scratch), cell.read);
    };
    const Real* const before = body.stencil.data.x;
    for_each_cell([&](const Cell& cell) { x[cell.here] = before[cell.at]; });
    for (const int colour : {0, 1}) {
      around.for_each(colour, [&](const CellAround& cell) { x[cell.here] = before[cell.at]; });
    }
    for (int sweep = 0; sweep < num_half_sweeps; ++sweep) {
      fill_ghosts();
      const int colour = (body.colour + sweep) & 1;
      if constexpr (Tiles::is_one) {
        for_each_cell(
            [&](const Cell& cell) { made[cell.here] = cell.colour == colour ? relaxed(cell) : x[cell.here]; });
        Real* const next = made;
        made = x;
        x = next;
      } else {
        const bool is_exchanged = sweep < num_exchanges();
        Packet* const cells = exchanged + (sweep & 1) * layout.volume();
        if (is_exchanged) group.exchange.begin(1);
        for_each_cell([&](const Cell& cell) {
          if (cell.colour != colour) return;
          const Real value = relaxed(cell);
          if (is_exchanged) group.exchange.send(cells + cell.at, value);
          made[cell.here] = value;
        });
        group.barrier();
        for_each_cell([&](const Cell& cell) {
          if (cell.colour == colour) x[cell.here] = made[cell.here];
        });
        if (!is_exchanged) continue;
        around.for_each(colour,
                        [&](const CellAround& cell) { x[cell.here] = Real(group.exchange.receive(cells + cell.at)); });
      }
    }
    // (Each thread writes its own cells.)
    for_each_cell([&](const Cell& cell) { body.out[cell.at] = x[cell.here]; });
    if (restricted == nullptr) return;
    fill_ghosts();
    for_each_cell([&](const Cell& cell) {
      made[cell.here] = cell.read.f - applied(body.stencil, cell.at, x[cell.here], cell.fluxes(x, in_scratch));
    });
    group.barrier();
    restrict_tiles(group, tiles, num_tiles, made);
  }

  /// (Tiles are of even size: the fine cells of a coarse one are in the same.)
  template <class Members>
  KOKKOS_FUNCTION void restrict_tiles(const Members& group, const Tiles& tiles, int num_tiles,
                                      const Real* residual) const {
    const BoxLayout in_scratch = tiles.layout();
    const int width = tiles.width / 2, count = width * width * width;
    for (int number = group.thread; number < num_tiles * count; number += group.num_threads) {
      const int slot = tiles.slot_of(number, count), n = number - slot * count;
      const int i = 2 * (n % width), j = 2 * (n / width % width), k = 2 * (n / (width * width));
      const Index3 first = tiles.first(group.team + slot * group.num_teams);
      if (!tiles.is_in_box(first[0] + i, first[1] + j, first[2] + k)) continue;
      restricted[coarse_layout.at(0, (first[0] + i) / 2, (first[1] + j) / 2, (first[2] + k) / 2)] = mean_of_fine(
          residual + slot * in_scratch.volume() + in_scratch.at(0, i, j, k), in_scratch.row(), in_scratch.plane());
    }
  }
};

}  // namespace ashlar::multigrid::impl
