#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/copy_async.hpp>
#include <ashlar/device/for_wide_teams.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/march_rings.hpp>
#include <ashlar/multigrid/impl/march_tiles.hpp>
#include <ashlar/multigrid/impl/plane_ring.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

/// Kernels of fv4 for GPUs that read each value from memory about once: a team goes upwards in k through the planes of
/// a tile, and has those that its cells read in scratch memory, while the next one is on its way. The bits are those of
/// all other forms, since each flux is fv4_flux() of the same numbers.
namespace ashlar::multigrid::impl {

/// One pass of a body, for all cells or those of a colour. A lane has two neighbours in i of each plane.
template <class Exec, class Body, class Parities>
struct March {
  using Real = typename decltype(Body::stencil)::Real;
  static constexpr bool is_large = usual_wide_scratch<Exec> >= 96 * 1024;
  static constexpr int width = 32, height = is_large ? 16 : 8;
  static constexpr int threads = width / 2 * height, teams_at_a_time = 2 * 16 / height;
  using Cells = PlaneRing<Real, 6, width, height, 2>;          // from k - 2 to k + 3, which is on its way
  using Faces = PlaneRing<Real, 4, width, height, 1, 2>;       // normal to i and j: from k - 1 to k + 2
  using FacesAbove = PlaneRing<Real, 3, width, height, 1, 2>;  // normal to k: from k to k + 2
  using Rings = MarchRings<Cells, Faces, FacesAbove>;
  static constexpr std::size_t scratch_bytes = sizeof(Real) * Rings::size;
  static_assert(scratch_bytes <= usual_wide_scratch<Exec>);
  static constexpr int row = Rings::row;

  /// What comes of memory for the next plane, read a step ahead: for one of the two cells, or both.
  using Reads = Kokkos::Array<typename Body::Read, has_colour<Body> ? 1 : 2>;

  Body body;
  BoxLayout layout;
  Parities parities;  // of the place of each box's first cell
  MarchTiles tiles;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Rings rings(static_cast<Real*>(wide_scratch_of(team, scratch_bytes)));
    const MarchPart part = tiles.part(team.league_rank(), layout.dim);
    const int colour = colour_at(part);
    OfLanes<Reads, threads, Exec> reads;
    for_lanes<threads>(team, [&](int lane) {
      for (int p = part.k0 - 2; p <= part.k0 + 2; ++p) load_cells(rings, part, lane, p);
      for (int p = part.k0 - 1; p <= part.k0 + 1; ++p) load_faces(rings, part, lane, p, p >= part.k0);
      end_batch_of_copies();
      reads[lane] = read(part, lane, part.k0, colour);
      wait_for_copies<0>();
    });
    team.team_barrier();
    for (int k = part.k0; k < part.k1; ++k) {
      for_lanes<threads>(team, [&](int lane) {
        const bool goes_on = k + 1 < part.k1;
        if (goes_on) {
          load_cells(rings, part, lane, k + 3);
          load_faces(rings, part, lane, k + 2, true);
        }
        end_batch_of_copies();
        const Reads now = reads[lane];
        if (goes_on) reads[lane] = read(part, lane, k + 1, colour);
        work(rings, part, lane, k, colour, now);
        wait_for_copies<0>();
      });
      team.team_barrier();
    }
  }

 private:
  KOKKOS_FUNCTION static int i_of(int lane) { return lane % (width / 2) * 2; }
  KOKKOS_FUNCTION static int j_of(int lane) { return lane / (width / 2); }

  /// Of a cell with i = j = k = 0 of the box, and i0 even: whether those of even i + j + k are updated (0).
  KOKKOS_FUNCTION int colour_at(const MarchPart& part) const {
    if constexpr (has_colour<Body>) {
      return (body.colour + parities(part.box) + part.j0) & 1;
    } else {
      return 0;
    }
  }
  /// Which of a lane's two cells is of the colour.
  KOKKOS_FUNCTION static int which(int lane, int k, int colour) { return (j_of(lane) + k + colour) & 1; }

  KOKKOS_FUNCTION bool has(const MarchPart& part, int i, int j) const {
    return part.i0 + i < layout.dim && part.j0 + j < layout.dim;
  }

  KOKKOS_FUNCTION Reads read(const MarchPart& part, int lane, int k, int colour) const {
    const int i = i_of(lane), j = j_of(lane);
    const std::int64_t c = layout.at(part.box, part.i0 + i, part.j0 + j, k);
    Reads reads{};
    if constexpr (has_colour<Body>) {
      const int odd = which(lane, k, colour);
      if (has(part, i + odd, j)) reads[0] = body.read(c + odd);
    } else {
      if (has(part, i, j)) reads[0] = body.read(c);
      if (has(part, i + 1, j)) reads[1] = body.read(c + 1);
    }
    return reads;
  }

  KOKKOS_FUNCTION void load_cells(const Rings& rings, const MarchPart& part, int lane, int p) const {
    rings.template load_cells<threads>(body.stencil.data, layout, part, lane, p);
  }
  KOKKOS_FUNCTION void load_faces(const Rings& rings, const MarchPart& part, int lane, int p, bool above) const {
    rings.template load_faces<threads>(body.stencil.data, layout, part, lane, p, above);
  }

  /// The fluxes into cell i of row j.
  KOKKOS_FUNCTION Real fluxes_into(const Rings& rings, int i, int j, int k) const {
    const int c = Cells::column(i), before = Cells::column(i - 1), after = Cells::column(i + 1);
    const Real *const x0 = rings.x.row_of(k, j), *const below = rings.x.row_of(k - 1, j),
                      *const below2 = rings.x.row_of(k - 2, j), *const above = rings.x.row_of(k + 1, j),
                      *const above2 = rings.x.row_of(k + 2, j);
    const Real *const i0 = rings.beta_i.row_of(k, j), *const i_below = rings.beta_i.row_of(k - 1, j),
                      *const i_above = rings.beta_i.row_of(k + 1, j);
    const Real *const j0 = rings.beta_j.row_of(k, j), *const j_below = rings.beta_j.row_of(k - 1, j),
                      *const j_above = rings.beta_j.row_of(k + 1, j);
    const Real *const k0 = rings.beta_k.row_of(k, j), *const k_above = rings.beta_k.row_of(k + 1, j);
    const FaceOfFv4<Real> low[3] = {{i0[c], i0[c + row] - i0[c - row], i_above[c] - i_below[c]},
                                    {j0[c], j_above[c] - j_below[c], j0[after] - j0[before]},
                                    {k0[c], k0[after] - k0[before], k0[c + row] - k0[c - row]}};
    const FaceOfFv4<Real> high[3] = {
        {i0[after], i0[after + row] - i0[after - row], i_above[after] - i_below[after]},
        {j0[c + row], j_above[c + row] - j_below[c + row], j0[after + row] - j0[before + row]},
        {k_above[c], k_above[after] - k_above[before], k_above[c + row] - k_above[c - row]}};
    return fv4_fluxes(low, high, [&](int di, int dj, int dk) {
      const int column = di == 0 ? c : di == -1 ? before : di == 1 ? after : di == -2 ? c - 1 : c + 1;
      return (dk == 0 ? x0 : dk == -1 ? below : dk == 1 ? above : dk == -2 ? below2 : above2)[dj * row + column];
    });
  }

  KOKKOS_FUNCTION void work(const Rings& rings, const MarchPart& part, int lane, int k, int colour,
                            const Reads& reads) const {
    const int i = i_of(lane), j = j_of(lane);
    if (!has(part, i, j)) return;
    const bool has_second = has(part, i + 1, j);
    const std::int64_t c = layout.at(part.box, part.i0 + i, part.j0 + j, k);
    const Real* const x = rings.x.row_of(k, j);
    const Real first = x[Cells::column(i)], second = x[Cells::column(i + 1)];
    if constexpr (has_colour<Body>) {
      const int odd = which(lane, k, colour);
      const Real made = body(c + odd, odd != 0 ? second : first, fluxes_into(rings, i + odd, j, k), reads[0]);
      store_neighbours(body.out + c, odd != 0 ? first : made, odd != 0 ? made : second, has_second);
    } else {
      const Real first_made = body(c, first, fluxes_into(rings, i, j, k), reads[0]);
      const Real second_made = body(c + 1, second, fluxes_into(rings, i + 1, j, k), reads[1]);
      store_neighbours(body.out + c, first_made, second_made, has_second);
    }
  }
};

/// `depth` planes are a team's, or, with 0, as many as is fastest.
template <class Exec, class Parities, class Body>
void march(const std::string& label, const Exec& exec, int num_boxes, const BoxLayout& layout, const Parities& parities,
           const Body& body, int depth = 0) {
  using Kernel = March<Exec, Body, Parities>;
  const MarchTiles tiles = MarchTiles::of(num_boxes, layout, Kernel::width, Kernel::height,
                                          teams_at_once(exec, Kernel::teams_at_a_time), depth);
  for_wide_teams<Kernel::threads, Kernel::teams_at_a_time>(label, exec, tiles.count(num_boxes), Kernel::scratch_bytes,
                                                           Kernel{body, layout, parities, tiles});
}

}  // namespace ashlar::multigrid::impl
