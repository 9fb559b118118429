#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/teams/for_wide_teams.hpp>
#include <ashlar/multigrid/impl/march_tiles.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <concepts>
#include <cstdint>

namespace ashlar::multigrid {

/// Planes pay on GPUs where teams have work for half of their time or more. On an H200 they are as fast as cells for
/// one box of 64^3, where teams have it for 0.28 of the time, and take 0.7 of what cells take for one of 128^3, where
/// they have it for 0.74.
inline constexpr double least_share_of_planes = 0.5;

/// Planes are compiled for this execution space only: they are for large boxes, and so for no host that has a device
/// beside it.
template <execution_space Exec>
inline constexpr bool has_sweep_forms = std::same_as<Exec, Kokkos::DefaultExecutionSpace>;

/// The form for num_boxes boxes of box_dim^3 cells on this rank where `asked` is asked for; never automatic.
///
/// Throws   ArgumentError where teams of this device have too little scratch memory for a form that is named.
template <execution_space Exec>
SweepForm sweep_form(const Exec& exec, SweepForm asked, Discretisation discretisation, int box_dim,
                     std::int64_t num_boxes) {
  const bool has_choice = has_sweep_forms<Exec> && discretisation == Discretisation::fv4;
  if (!has_choice || asked == SweepForm::cells) return SweepForm::cells;
  const bool is_possible = has_usual_wide_scratch(exec);
  if (asked != SweepForm::automatic) {
    if (is_possible) return asked;
    throw ArgumentError(
        text("multigrid: sweeps by '", to_string(asked), "'"),
        text("teams of this device have less than ", usual_wide_scratch<Exec>, " bytes of scratch memory"),
        "take 'cells', or 'automatic'");
  }
  if (!is_gpu_v<Exec> || !is_possible) return SweepForm::cells;
  using Shape = impl::MarchShape<Exec>;
  const int teams = impl::teams_at_once(exec), boxes = static_cast<int>(num_boxes);
  const auto tiles = impl::MarchTiles::of(boxes, box_dim, Shape::width, Shape::height, teams);
  return tiles.used_share(boxes, box_dim, teams) >= least_share_of_planes ? SweepForm::planes : SweepForm::cells;
}

}  // namespace ashlar::multigrid
