#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/copy_async.hpp>
#include <ashlar/device/for_wide_teams.hpp>
#include <ashlar/multigrid/border.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/march_rings.hpp>
#include <ashlar/multigrid/impl/march_tiles.hpp>
#include <ashlar/multigrid/impl/plane_ring.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ashlar::multigrid::impl {

/// Two half sweeps of Gauss-Seidel in one pass, as march.hpp has one: a team makes the cells of the first colour in
/// plane k + 1, around its tile as well, which a neighbour makes, too; then those of the second in plane k, which read
/// the first's beside them, in planes k - 1 to k + 1. Those of the second colour keep what they have in the border of a
/// box, since there they wait for ghost cells of the first.
///
/// A lane has two neighbours in i; since the colours alternate, what it updates of the second colour in plane k is in
/// the column of what it updates of the first in plane k + 1, and it keeps for two planes what it knows of a column.
template <class Exec, class Body, class Parities, class Origins>
struct MarchBothColours {
  using Real = typename decltype(Body::stencil)::Real;
  static constexpr bool is_large = usual_wide_scratch<Exec> >= 96 * 1024;
  static constexpr int width = is_large ? 32 : 16, height = 8;
  static constexpr int pairs = width / 2 * height;  // of the tile; then come the rows beside it, and the columns
  static constexpr int working = pairs + width + height;
  static constexpr int threads = (working + 31) / 32 * 32, teams_at_a_time = is_large ? 2 : 4;
  using Cells = PlaneRing<Real, 6, width, height, 3, 4>;       // from k - 1 to k + 4, which is on its way
  using Faces = PlaneRing<Real, 4, width, height, 2, 4>;       // normal to i and j: from k to k + 3
  using FacesAbove = PlaneRing<Real, 3, width, height, 2, 4>;  // normal to k: from k + 1 to k + 3
  using Planes = MarchRings<Cells, Faces, FacesAbove>;
  static constexpr int row = Planes::row, half_row = row / 2;
  /// What became of the first colour, in planes k and k + 1: of two columns one.
  static constexpr int made_plane = half_row * (height + 2);
  static constexpr std::size_t scratch_bytes = sizeof(Real) * (Planes::size + 2 * made_plane);
  static_assert(scratch_bytes <= usual_wide_scratch<Exec>);

  Body body;  // whose colour is the first
  BoxLayout layout;
  Parities parities;  // of the place of each box's first cell
  Origins origins;
  int cells_per_dim;  // of the level
  MarchTiles tiles;

  struct Rings : Planes {
    Real* made;

    KOKKOS_FUNCTION explicit Rings(Real* scratch) : Planes(scratch), made(scratch + Planes::size) {}
    KOKKOS_FUNCTION Real* made_row(int p, int j) const { return made + (p & 1) * made_plane + (j + 1) * half_row; }
  };

  /// What a lane keeps of a column from one step that works on it to the next, two planes on: of the cell of the second
  /// colour then, x two planes below, the first colour's new value one below, and coefficients.
  struct Column {
    Real x_below2 = 0, made_below = 0;
    Real beta_i_below[2] = {}, beta_j_below[2] = {};  // of its low and high faces normal to i and j, a plane below
    FaceOfFv4<Real> face_below{};
  };

  struct Lane {
    MarchCopies<Planes, threads> copies;
    typename Body::Read reads[2];  // of the two cells of the next plane
    typename Body::Read second;    // of the cell of the second colour in this one
    Column columns[2];             // of even and odd planes
  };

  /// Where a lane works.
  struct Place {
    int i, j;  // of the first of its two cells; beside the tile there is one, -1 or `width`
    bool is_column_beside, works, is_in_tile;
  };

  KOKKOS_FUNCTION static Place place_of(int lane) {
    // (Cells of a colour of two rows, which are not above each other, are in different banks.)
    if (lane < pairs) return {lane % width / 2 * 2, lane / width * 2 + lane % 2, false, true, true};
    if (lane < pairs + width) {
      const int at = lane - pairs;
      return {at / 2 * 2, at % 2 == 0 ? -1 : height, false, true, false};
    }
    const int j = lane - pairs - width;
    return {0, j < height ? j : height - 1, true, lane < working, false};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Rings rings(static_cast<Real*>(wide_scratch_of(team, scratch_bytes)));
    const MarchPart part = tiles.part(team.league_rank(), layout.dim);
    const int colour = (body.colour + parities(part.box) + part.j0) & 1;
    const InnerCells inner = inner_cells(origins(part.box), layout.dim, cells_per_dim);
    const auto& data = body.stencil.data;
    OfLanes<Lane, threads, Exec> lanes;
    for_lanes<threads>(team, [&](int lane) {
      Lane& mine = lanes[lane];
      mine = Lane{{data, layout, part, lane}, {}, {}, {}};
      for (int p = part.k0 - 3; p <= part.k0 + 1; ++p) mine.copies.begin_cells(rings, data, layout, part, lane, p);
      for (int p = part.k0 - 2; p <= part.k0; ++p) {
        mine.copies.begin_faces(rings, data, layout, part, lane, p, p >= part.k0 - 1);
      }
      end_batch_of_copies();
      read(part, lane, part.k0 - 1, colour, mine);
      wait_for_copies<0>();
    });
    team.team_barrier();
    const auto step = [&](int k, int which) {
      for_lanes<threads>(team, [&](int lane) {
        if (k + 1 < part.k1) {
          lanes[lane].copies.begin_cells(rings, data, layout, part, lane, k + 4);
          lanes[lane].copies.begin_faces(rings, data, layout, part, lane, k + 3, true);
        }
        end_batch_of_copies();
        work(rings, part, inner, lane, k, colour, lanes[lane], lanes[lane].columns[which]);
        wait_for_copies<0>();
      });
      team.team_barrier();
    };
    for (int k = part.k0 - 2; k < part.k1; k += 2) {
      step(k, 0);
      if (k + 1 < part.k1) step(k + 1, 1);
    }
  }

 private:
  /// Which of a lane's two cells in plane p is of the first colour.
  KOKKOS_FUNCTION static int which(const Place& place, int p, int colour) { return (place.j + p + colour) & 1; }
  KOKKOS_FUNCTION static int column_of(const Place& place, int odd) {
    return place.is_column_beside ? (odd != 0 ? -1 : width) : place.i + odd;
  }

  KOKKOS_FUNCTION bool has(const MarchPart& part, int i, int j, int k) const {
    const int n = layout.dim;
    const int all_i = part.i0 + i, all_j = part.j0 + j;
    return all_i >= 0 && all_i < n && all_j >= 0 && all_j < n && k >= 0 && k < n;
  }

  KOKKOS_FUNCTION void read(const MarchPart& part, int lane, int p, int colour, Lane& mine) const {
    const Place place = place_of(lane);
    if (!place.works) return;
    const std::int64_t first = layout.at(part.box, part.i0, part.j0 + place.j, p);
    if (place.is_column_beside) {
      const int odd = which(place, p, colour), i = column_of(place, odd);
      if (!has(part, i, place.j, p)) return;
      const typename Body::Read value = body.read(first + i);
      mine.reads[0] = value;  // both, so that no address depends on the colour
      mine.reads[1] = value;
    } else {
      if (has(part, place.i, place.j, p)) mine.reads[0] = body.read(first + place.i);
      if (has(part, place.i + 1, place.j, p)) mine.reads[1] = body.read(first + place.i + 1);
    }
  }

  /// The first colour in plane k + 1, the second in plane k.
  KOKKOS_FUNCTION void work(const Rings& rings, const MarchPart& part, const InnerCells& inner, int lane, int k,
                            int colour, Lane& mine, Column& kept) const {
    const Place place = place_of(lane);
    const int odd = which(place, k + 1, colour), i = column_of(place, odd), j = place.j;
    const typename Body::Read now[2] = {mine.reads[0], mine.reads[1]};
    const typename Body::Read second_read = mine.second;
    read(part, lane, k + 2, colour, mine);
    mine.second = odd != 0 ? now[0] : now[1];  // the other cell of plane k + 1
    if (!place.works) return;

    const auto from = [&](const Real* const(&rows)[3], int di, int dj, int dk) {
      return (dk == -1 ? rows[0] : dk == 0 ? rows[1] : rows[2])[dj * row + di];
    };
    const Real *const xa = rings.x.cell(k - 1, i, j), *const xb = rings.x.cell(k, i, j),
                      *const xc = rings.x.cell(k + 1, i, j), *const xd = rings.x.cell(k + 2, i, j),
                      *const xe = rings.x.cell(k + 3, i, j);
    const Real *const ib = rings.beta_i.cell(k, i, j), *const ic = rings.beta_i.cell(k + 1, i, j),
                      *const id = rings.beta_i.cell(k + 2, i, j);
    const Real *const jb = rings.beta_j.cell(k, i, j), *const jc = rings.beta_j.cell(k + 1, i, j),
                      *const jd = rings.beta_j.cell(k + 2, i, j);
    const Real *const kc = rings.beta_k.cell(k + 1, i, j), *const kd = rings.beta_k.cell(k + 2, i, j);
    const Real here = xc[0], at_k = xb[0], above = xd[0];
    const FaceOfFv4<Real> face_k1{kc[0], kc[1] - kc[-1], kc[row] - kc[-row]};
    const FaceOfFv4<Real> face_k2{kd[0], kd[1] - kd[-1], kd[row] - kd[-row]};

    Real made = here;
    if (has(part, i, j, k + 1)) {
      const FaceOfFv4<Real> low[3] = {
          {ic[0], ic[row] - ic[-row], id[0] - ib[0]}, {jc[0], jd[0] - jb[0], jc[1] - jc[-1]}, face_k1};
      const FaceOfFv4<Real> high[3] = {{ic[1], ic[1 + row] - ic[1 - row], id[1] - ib[1]},
                                       {jc[row], jd[row] - jb[row], jc[1 + row] - jc[row - 1]},
                                       face_k2};
      const Real* const rows[3] = {xb, xc, xd};
      const Real fluxes = fv4_fluxes(low, high, [&](int di, int dj, int dk) {
        return dk == -2 ? xa[0] : dk == 2 ? xe[0] : from(rows, di, dj, dk);
      });
      made = body(layout.at(part.box, part.i0 + i, part.j0 + j, k + 1), here, fluxes, odd != 0 ? now[1] : now[0]);
    }

    if (place.is_in_tile && k >= part.k0 && has(part, place.i, j, k)) {
      const Real* const made_k = rings.made_row(k, j);
      const Real before_k = made_k[half_of(i - 1)], after_k = made_k[half_of(i + 1)];
      Real value = at_k;
      const std::int64_t at = layout.at(part.box, part.i0 + place.i, part.j0 + j, k);
      if (inner.has(part.i0 + i, part.j0 + j, k)) {
        const FaceOfFv4<Real> low[3] = {{ib[0], ib[row] - ib[-row], ic[0] - kept.beta_i_below[0]},
                                        {jb[0], jc[0] - kept.beta_j_below[0], jb[1] - jb[-1]},
                                        kept.face_below};
        const FaceOfFv4<Real> high[3] = {{ib[1], ib[1 + row] - ib[1 - row], ic[1] - kept.beta_i_below[1]},
                                         {jb[row], jc[row] - kept.beta_j_below[1], jb[1 + row] - jb[row - 1]},
                                         face_k1};
        const Real* const rows[3] = {xa, xb, xc};
        const Real low_j = made_k[half_of(i) - half_row], high_j = made_k[half_of(i) + half_row];
        const Real fluxes = fv4_fluxes(low, high, [&](int di, int dj, int dk) {
          if (di == 0 && dj == 0 && dk != 0) {
            return dk == -2 ? kept.x_below2 : dk == -1 ? kept.made_below : dk == 1 ? made : above;
          }
          if (dj == 0 && dk == 0 && (di == -1 || di == 1)) return di < 0 ? before_k : after_k;
          if (di == 0 && dk == 0 && (dj == -1 || dj == 1)) return dj < 0 ? low_j : high_j;
          return from(rows, di, dj, dk);
        });
        value = body(at + odd, at_k, fluxes, second_read);
      }
      store_neighbours(body.out + at, odd != 0 ? before_k : value, odd != 0 ? value : after_k,
                       has(part, place.i + 1, j, k));
    }

    rings.made_row(k + 1, j)[half_of(i)] = made;
    kept.x_below2 = at_k;
    kept.made_below = made;
    kept.beta_i_below[0] = ic[0];
    kept.beta_i_below[1] = ic[1];
    kept.beta_j_below[0] = jc[0];
    kept.beta_j_below[1] = jc[row];
    kept.face_below = face_k2;
  }

  /// The place in a row of what was made of cell i; of two neighbours one has one.
  KOKKOS_FUNCTION static int half_of(int i) { return (i + 3) >> 1; }
};

/// out := x after a half sweep of the body's colour, and after one of the other colour as well outside of the boxes'
/// borders. `depth` is as for march().
template <class Exec, class Parities, class Origins, class Body>
void march_both_colours(const std::string& label, const Exec& exec, int num_boxes, int cells_per_dim,
                        const BoxLayout& layout, const Parities& parities, const Origins& origins, const Body& body,
                        int depth = 0) {
  using Kernel = MarchBothColours<Exec, Body, Parities, Origins>;
  const MarchTiles tiles = MarchTiles::of(num_boxes, layout.dim, Kernel::width, Kernel::height,
                                          teams_at_once(exec, Kernel::teams_at_a_time), depth);
  for_wide_teams<Kernel::threads, Kernel::teams_at_a_time>(
      label, exec, tiles.count(num_boxes), Kernel::scratch_bytes,
      Kernel{body, layout, parities, origins, cells_per_dim, tiles});
}

}  // namespace ashlar::multigrid::impl
