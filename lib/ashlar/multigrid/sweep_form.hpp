#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/for_wide_teams.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <concepts>

namespace ashlar::multigrid {

/// Boxes from which on the forms for large ones pay on GPUs: smaller ones have few planes for a team, and much border.
inline constexpr int least_dim_of_planes = 64, least_dim_of_both_colours = 128;

/// Forms other than by cells are compiled for this execution space only: those for large boxes, and so none of a host
/// that has a device beside it.
template <execution_space Exec>
inline constexpr bool has_sweep_forms = std::same_as<Exec, Kokkos::DefaultExecutionSpace>;

/// The form for boxes of box_dim^3 cells where `asked` is asked for; never automatic.
///
/// Throws   ArgumentError where teams of this device have too little scratch memory for a form that is named.
template <execution_space Exec>
SweepForm sweep_form(const Exec& exec, SweepForm asked, Discretisation discretisation, int box_dim) {
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
  if (!is_gpu_v<Exec> || !is_possible || box_dim < least_dim_of_planes) return SweepForm::cells;
  return box_dim < least_dim_of_both_colours ? SweepForm::planes : SweepForm::both_colours;
}

}  // namespace ashlar::multigrid
