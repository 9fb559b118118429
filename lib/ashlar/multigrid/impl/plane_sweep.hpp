#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/loads/copy_async.hpp>
#include <ashlar/device/teams/for_wide_teams.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/tile_rings.hpp>
#include <ashlar/multigrid/sweep_form.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

/// Kernels of fv4 for GPUs that read each value from memory about once: a team goes upwards in k through the planes of
/// a tile, and keeps the planes that its cells read in scratch memory, while the next one is on its way. The bits are
/// the same as in all other forms, since each flux is fv4_flux() of the same numbers.
namespace ashlar::multigrid::impl {

/// One pass of a body, for all cells or the cells of a colour. A lane has two neighbours in i of each plane, and makes
/// one or both.
template <class Exec, class Body, class Parities>
struct PlaneSweep {
  using Real = typename decltype(Body::stencil)::Real;
  using Shape = PlaneTileShape<Exec>;
  static constexpr bool is_of_colour = has_colour<Body>;
  static constexpr int cells_of_lane = is_of_colour ? 1 : 2;
  static constexpr int width = Shape::width, height = Shape::height;
  static constexpr int threads = width / 2 * height, teams_at_a_time = Shape::teams_at_a_time;
  using Rings = TileRings<Real, width, height>;
  using Surroundings = TileSurroundings<Rings>;
  static constexpr std::size_t scratch_bytes = sizeof(Real) * Rings::size;
  static_assert(scratch_bytes <= usual_wide_scratch<Exec>);

  /// Values that a lane keeps from one plane for the next, by cell: values read from memory a step ahead, and, if all
  /// cells are computed, the fluxes between these planes.
  struct Carried {
    typename Body::Read reads[cells_of_lane];
    Real low_k[cells_of_lane];
  };
  struct Lane {
    TileCopies<Rings, threads> copies;
    Carried carried;
  };

  Body body;
  BoxLayout layout;
  Parities parities;  // of the place of each box's first cell
  PlaneTiles tiles;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Rings rings(static_cast<Real*>(wide_scratch_of(team, scratch_bytes)));
    const PlanePart part = tiles.part(team.league_rank(), layout.dim);
    const int colour = colour_at(part);
    const auto& data = body.stencil.data;
    OfLanes<Lane, threads, Exec> lanes;
    for_lanes<threads>(team, [&](int lane) {
      Lane& mine = lanes[lane];
      mine = {{data, layout, part, lane}, {}};
      for (int p = part.k0 - 2; p < part.k0 + 2; ++p) mine.copies.begin_cells(rings, data, layout, part, lane, p);
      for (int p = part.k0 - 1; p < part.k0 + 1; ++p) {
        mine.copies.begin_faces(rings, data, layout, part, lane, p, p >= part.k0);
      }
      begin_copies_for(rings, part, lane, part.k0, mine.copies);
      read(part, lane, part.k0, colour, mine.carried);
      wait_for_copies<0>();
    });
    team.team_barrier();
    if constexpr (!is_of_colour) {
      for_lanes<threads>(team, [&](int lane) {
        for (int n = 0; n < cells_of_lane; ++n) {
          const Surroundings around(rings, i_of(lane) + which(lane, n, part.k0, colour), j_of(lane), part.k0);
          lanes[lane].carried.low_k[n] = around.template flux<2>(0, 0, 0);
        }
      });
    }
    for (int k = part.k0; k < part.k1; ++k) {
      for_lanes<threads>(team, [&](int lane) {
        Lane& mine = lanes[lane];
        begin_copies_for(rings, part, lane, k + 1, mine.copies);
        const Carried now = mine.carried;
        if (k + 1 < part.k1) read(part, lane, k + 1, colour, mine.carried);
        work(rings, part, lane, k, colour, now, mine.carried);
        wait_for_copies<0>();
      });
      team.team_barrier();
    }
  }

 private:
  // Lanes that load together have cells of two rows, which are not above each other: so these lie in different banks.
  KOKKOS_FUNCTION static int i_of(int lane) { return lane % width / 2 * 2; }
  KOKKOS_FUNCTION static int j_of(int lane) { return lane / width * 2 + lane % 2; }

  /// 0 if the cells of even i + j + k are updated, from cell i = j = k = 0 of the box, with i0 even.
  KOKKOS_FUNCTION int colour_at(const PlanePart& part) const {
    if constexpr (is_of_colour) {
      return (body.colour + parities(part.box) + part.j0) & 1;
    } else {
      return 0;
    }
  }
  /// Which of a lane's two neighbours is its cell n.
  KOKKOS_FUNCTION static int which(int lane, int n, int k, int colour) {
    return (is_of_colour ? j_of(lane) + k + colour : j_of(lane) + n) & 1;
  }

  KOKKOS_FUNCTION bool has(const PlanePart& part, int i, int j) const {
    return part.i0 + i < layout.dim && part.j0 + j < layout.dim;
  }

  KOKKOS_FUNCTION void read(const PlanePart& part, int lane, int k, int colour, Carried& to) const {
    const int i = i_of(lane), j = j_of(lane);
    const std::int64_t c = layout.at(part.box, part.i0 + i, part.j0 + j, k);
    for (int n = 0; n < cells_of_lane; ++n) {
      const int odd = which(lane, n, k, colour);
      if (has(part, i + odd, j)) to.reads[n] = body.read(c + odd);
    }
  }

  /// Begins copies of the values that plane k reads, and earlier planes do not.
  KOKKOS_FUNCTION void begin_copies_for(const Rings& rings, const PlanePart& part, int lane, int k,
                                        const TileCopies<Rings, threads>& copies) const {
    if (k < part.k1) {
      copies.begin_cells(rings, body.stencil.data, layout, part, lane, k + 2);
      copies.begin_faces(rings, body.stencil.data, layout, part, lane, k + 1, true);
    }
    end_batch_of_copies();
  }

  KOKKOS_FUNCTION void work(const Rings& rings, const PlanePart& part, int lane, int k, int colour, const Carried& now,
                            [[maybe_unused]] Carried& next) const {
    const int i = i_of(lane), j = j_of(lane);
    if (!has(part, i, j)) return;
    const std::int64_t c = layout.at(part.box, part.i0 + i, part.j0 + j, k);
    Real made[2];
    for (int n = 0; n < cells_of_lane; ++n) {
      const int odd = which(lane, n, k, colour);
      const Surroundings around(rings, i + odd, j, k);
      const Real low_k = is_of_colour ? around.template flux<2>(0, 0, 0) : now.low_k[n];
      const Real high_k = around.template flux<2>(0, 0, 1);
      if constexpr (!is_of_colour) next.low_k[n] = high_k;
      const Real fluxes = (around.template flux<0>(1, 0, 0) - around.template flux<0>(0, 0, 0)) +
                          (around.template flux<1>(0, 1, 0) - around.template flux<1>(0, 0, 0)) + (high_k - low_k);
      made[n] = body(c + odd, around.here(), fluxes, now.reads[n]);
    }
    const int odd = which(lane, 0, k, colour);
    if constexpr (is_of_colour) made[1] = *rings.x.cell(k, i + 1 - odd, j);
    store_neighbours(body.out + c, odd != 0 ? made[1] : made[0], odd != 0 ? made[0] : made[1], has(part, i + 1, j));
  }
};

/// `depth` planes are a team's, or, with 0, as many as is fastest.
template <class Exec, class Parities, class Body>
void sweep_planes(const std::string& label, const Exec& exec, int num_boxes, const BoxLayout& layout,
                  const Parities& parities, const Body& body, int depth = 0) {
  using Kernel = PlaneSweep<Exec, Body, Parities>;
  const PlaneTiles tiles =
      PlaneTiles::of(num_boxes, layout.dim, Kernel::width, Kernel::height, resident_teams(exec), depth);
  for_wide_teams<Kernel::threads, Kernel::teams_at_a_time>(label, exec, tiles.count(num_boxes), Kernel::scratch_bytes,
                                                           Kernel{body, layout, parities, tiles});
}

}  // namespace ashlar::multigrid::impl
