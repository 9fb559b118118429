#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/border.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// The second colour in the borders of boxes, after march_both_colours(), in `out`, whose ghost cells have been filled
/// since. Of cells of its own colour, which others may be changing there, it takes the values before, from the vector
/// that the first colour was made of.
template <class Body, class Parities>
struct RelaxBorderBody {
  using Real = typename decltype(Body::stencil)::Real;

  Body body;  // whose colour is the second, and whose stencil's x is the vector before
  BoxLayout layout;
  Parities parities;  // of the place of each box's first cell

  KOKKOS_FUNCTION void operator()(const RegionOfPairs& part, int pair, int j, int k) const {
    int cell[3] = {part.begin[0] + 2 * pair, part.begin[1] + j, part.begin[2] + k};
    cell[0] += (cell[0] + cell[1] + cell[2] + parities(part.box) + body.colour) & 1;
    if (cell[0] >= part.end_i) return;
    const std::int64_t c = layout.at(part.box, cell[0], cell[1], cell[2]);
    const int row = layout.row(), plane = layout.plane();
    const auto is_own = [&](int x) { return x >= 0 && x < layout.dim; };
    const Real* const before = body.stencil.data.x;
    const Real* const now = body.out;
    const auto x = [&](int di, int dj, int dk) {
      const bool is_before =
          ((di + dj + dk) & 1) == 0 && is_own(cell[0] + di) && is_own(cell[1] + dj) && is_own(cell[2] + dk);
      return ((is_before ? before : now) + c)[di + (dj * row + dk * plane)];
    };
    const auto& faces = body.stencil;
    const FaceOfFv4<Real> low[3] = {faces.template face<0>(c), faces.template face<1>(c), faces.template face<2>(c)};
    const FaceOfFv4<Real> high[3] = {faces.template face<0>(c + 1), faces.template face<1>(c + row),
                                     faces.template face<2>(c + plane)};
    body.out[c] = body(c, before[c], fv4_fluxes(low, high, x), body.read(c));
  }
};

}  // namespace ashlar::multigrid::impl
