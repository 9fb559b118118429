#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <ashlar/multigrid/boundary.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/box_in_scratch.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/crew.hpp>
#include <ashlar/multigrid/impl/pairs_around.hpp>
#include <ashlar/multigrid/impl/scratch_tiles.hpp>
#include <ashlar/multigrid/impl/transfer_bodies.hpp>
#include <ashlar/multigrid/stencil.hpp>

namespace ashlar::multigrid::impl {

/// All half sweeps of a smoothing with Gauss-Seidel on a level of one box, and, restricted to the next coarser level,
/// the residual of what they leave. A team has tiles of x and what is around them in scratch memory meanwhile, one each
/// on GPUs, and what a thread reads of the matrix stays with it; after each half sweep it sends what it made, and
/// receives what others made around its tiles. The same bits as steps of their own.
///
/// Who reads a tile's cells has cells, of both colours, that this tile reads. So a team that has received all of one
/// exchange knows that the others have done with the one before it, and may overwrite that, and x itself when it ends.
/// Between two smoothings all teams meet.
template <class Real, class Tiles>
struct RelaxInScratch {
  static constexpr bool is_for_crews = true;
  static constexpr int points = 4;  // of the boundary's polynomial
  static_assert(ScratchTiles::narrowest >= points);

  RelaxBody<Fv4Stencil<Real>> body;  // of x, and of the first colour; `out` is x
  BoxLayout layout;
  BoundaryWeights<Real> weights;
  int num_half_sweeps;
  Real* restricted = nullptr;  // the residual, on a level of this layout; nullptr: nobody asks
  BoxLayout coarse_layout{};
  Packet* exchanged = nullptr;  // two vectors of the level, used alternately; of one tile nullptr

  /// Of a level with so many own boxes, by teams which have so many tiles at most. A box has as many cells of either
  /// colour, and as many as the polynomial needs.
  static bool serves(const BoxLayout& layout, int num_boxes, int most_tiles) {
    if (num_boxes != 1 || layout.dim % 2 != 0 || layout.dim < points) return false;
    if constexpr (Tiles::is_one) {
      return layout.dim <= widest_tile_in_scratch;
    } else {
      const ScratchTiles tiles(layout.dim);
      return layout.dim > widest_tile_in_scratch && tiles.are_wide() && tiles.count() <= most_tiles;
    }
  }
  static_assert(2 * widest_volume_in_scratch <= crew_scratch_size);

  template <class Members>
  KOKKOS_FUNCTION void operator()(const Members& crew) const {
    const Tiles tiles(layout.dim);
    const int num_tiles = tiles.count_of(crew.team, crew.num_teams);
    if (num_tiles > 0) {
      relax(crew, tiles, num_tiles);
    } else {
      crew.exchange.begin(num_exchanges());
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

    /// Of each tile first all cells of the colour 0, then all of the other.
    KOKKOS_FUNCTION Cell operator()(int number) const {
      const int slot = tiles.slot_of(number, tiles.num_cells()), n = number - slot * tiles.num_cells();
      const int width = tiles.width, half = tiles.num_cells() / 2, pairs = width / 2;
      const int colour = n >= half ? 1 : 0, pair = n - colour * half;
      const int row = pair / pairs, j = row % width, k = row / width;
      const int i = 2 * (pair % pairs) + ((j + k + colour) & 1);
      const Index3 first = tiles.first(team + slot * num_teams);
      const bool exists = tiles.is_in_box(first[0] + i, first[1] + j, first[2] + k);
      // (Of what does not exist something is read, too.)
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
  KOKKOS_FUNCTION void relax(const Members& crew, const Tiles& tiles, int num_tiles) const {
    const BoxLayout in_scratch = tiles.layout();
    // What is made goes to another place first, as cells of a colour read each other.
    Real* x = crew.template scratch_of<Real>();
    Real* made = x + num_tiles * in_scratch.volume();
    const Dealt<Members, MakeCell> all_cells(crew, num_tiles * tiles.num_cells(),
                                             MakeCell{body, layout, tiles, crew.team, crew.num_teams});
    const MakeGhostsInScratch<Tiles> make_ghosts{tiles, crew.team, crew.num_teams};
    const Dealt<Members, MakeGhostsInScratch<Tiles>> all_ghosts(crew, make_ghosts.count(), make_ghosts);
    const AroundTiles<Members, Tiles> around(crew, tiles, layout);
    const auto for_each_cell = [&](const auto& work) {
      all_cells.for_each([&](const Cell& cell) {
        if (cell.exists) work(cell);
      });
    };
    const auto fill_ghosts = [&] {
      crew.meet();
      all_ghosts.for_each([&](const GhostsInScratch& ghosts) { ghosts.template fill<points>(x, weights); });
      crew.meet();
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
        if (is_exchanged) crew.exchange.begin(1);
        for_each_cell([&](const Cell& cell) {
          if (cell.colour != colour) return;
          const Real value = relaxed(cell);
          if (is_exchanged) crew.exchange.send(cells + cell.at, value);
          made[cell.here] = value;
        });
        crew.meet();
        for_each_cell([&](const Cell& cell) {
          if (cell.colour == colour) x[cell.here] = made[cell.here];
        });
        if (!is_exchanged) continue;
        around.for_each(colour,
                        [&](const CellAround& cell) { x[cell.here] = Real(crew.exchange.receive(cells + cell.at)); });
      }
    }
    // (Each writes what it made itself.)
    for_each_cell([&](const Cell& cell) { body.out[cell.at] = x[cell.here]; });
    if (restricted == nullptr) return;
    fill_ghosts();
    for_each_cell([&](const Cell& cell) {
      made[cell.here] = cell.read.f - applied(body.stencil, cell.at, x[cell.here], cell.fluxes(x, in_scratch));
    });
    crew.meet();
    restrict_tiles(crew, tiles, num_tiles, made);
  }

  /// (Tiles are of even size: the fine cells of a coarse one are in the same.)
  template <class Members>
  KOKKOS_FUNCTION void restrict_tiles(const Members& crew, const Tiles& tiles, int num_tiles,
                                      const Real* residual) const {
    const BoxLayout in_scratch = tiles.layout();
    const int width = tiles.width / 2, count = width * width * width;
    for (int number = crew.thread; number < num_tiles * count; number += crew.num_threads) {
      const int slot = tiles.slot_of(number, count), n = number - slot * count;
      const int i = 2 * (n % width), j = 2 * (n / width % width), k = 2 * (n / (width * width));
      const Index3 first = tiles.first(crew.team + slot * crew.num_teams);
      if (!tiles.is_in_box(first[0] + i, first[1] + j, first[2] + k)) continue;
      restricted[coarse_layout.at(0, (first[0] + i) / 2, (first[1] + j) / 2, (first[2] + k) / 2)] = mean_of_fine(
          residual + slot * in_scratch.volume() + in_scratch.at(0, i, j, k), in_scratch.row(), in_scratch.plane());
    }
  }
};

}  // namespace ashlar::multigrid::impl
