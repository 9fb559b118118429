#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/boundary.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/box_in_scratch.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/crew.hpp>
#include <ashlar/multigrid/stencil.hpp>

namespace ashlar::multigrid::impl {

/// All half sweeps of a smoothing with Gauss-Seidel on a level of one small box, and the residual of what they leave,
/// by one team: x and its ghost cells are in scratch memory meanwhile, and what a thread reads of the matrix stays with
/// it. The same bits as steps of their own.
template <class Real>
struct RelaxInScratch {
  static constexpr bool is_for_crews = true;
  static constexpr int most_dim = 8;
  static constexpr int points = 4;  // of the boundary's polynomial

  RelaxBody<Fv4Stencil<Real>> body;  // of x, and of the first colour; `out` is x
  BoxLayout layout;
  BoundaryWeights<Real> weights;
  int num_half_sweeps;
  Real* residual;  // nullptr: nobody asks

  /// Of a level with so many own boxes. Its box has as many cells of either colour, and as many as the polynomial
  /// needs.
  static bool serves(const BoxLayout& layout, int num_boxes) {
    const int n = layout.dim;
    return num_boxes == 1 && n % 2 == 0 && n >= points && n <= most_dim && 2 * layout.volume() <= crew_scratch_size;
  }

  template <class Members>
  KOKKOS_FUNCTION void operator()(const Members& crew) const {
    Real* now = crew.template scratch_of<Real>();
    Real* next = now + layout.volume();
    const Dealt<Members, MakeCell> cells(crew, layout.dim * layout.dim * layout.dim, MakeCell{body, layout});
    const MakeGhostsInScratch make_ghosts{layout};
    const Dealt<Members, MakeGhostsInScratch> all_ghosts(crew, make_ghosts.count(), make_ghosts);
    const Real* const x = body.stencil.data.x;
    cells.for_each([&](const Cell& cell) { now[cell.at] = x[cell.at]; });
    const auto fill_ghosts = [&] {
      crew.meet();
      all_ghosts.for_each([&](const GhostsInScratch& ghosts) { ghosts.template fill<points>(now, weights); });
      crew.meet();
    };
    for (int sweep = 0; sweep < num_half_sweeps; ++sweep) {
      fill_ghosts();
      const int colour = (body.colour + sweep) & 1;
      cells.for_each([&](const Cell& cell) {
        const Real here = now[cell.at];
        next[cell.at] = cell.colour == colour ? body(cell.at, here, cell.fluxes(now, layout), cell.read) : here;
      });
      Real* const made = next;
      next = now;
      now = made;
    }
    // (Each writes what it made itself.)
    cells.for_each([&](const Cell& cell) { body.out[cell.at] = now[cell.at]; });
    if (residual == nullptr) return;
    fill_ghosts();
    cells.for_each([&](const Cell& cell) {
      residual[cell.at] = cell.read.f - applied(body.stencil, cell.at, now[cell.at], cell.fluxes(now, layout));
    });
  }

 private:
  struct Cell : CellInScratch<Real> {
    int colour;
    typename RelaxBody<Fv4Stencil<Real>>::Read read;
  };

  struct MakeCell {
    const RelaxBody<Fv4Stencil<Real>>& body;
    const BoxLayout& layout;

    /// First all cells of the colour 0, then all of the other.
    KOKKOS_FUNCTION Cell operator()(int number) const {
      const int n = layout.dim, half = n * n * n / 2, pairs = n / 2;
      const int colour = number >= half ? 1 : 0, pair = number - colour * half;
      const int row = pair / pairs, j = row % n, k = row / n;
      const CellInScratch<Real> cell(body.stencil, layout, 2 * (pair % pairs) + ((j + k + colour) & 1), j, k);
      return {cell, colour, body.read(cell.at)};
    }
  };
};

}  // namespace ashlar::multigrid::impl
