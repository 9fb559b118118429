#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/for_wide_teams.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <concepts>
#include <cstdint>

namespace ashlar::multigrid {

/// From where on planes pay on GPUs, as measured on an H100: 128^3 cells, or there are too few teams, in boxes of 32^3,
/// or a team has few planes. Both colours in one pass were nowhere faster there.
inline constexpr std::int64_t least_cells_of_planes = std::int64_t(1) << 21;
inline constexpr int least_dim_of_planes = 32;

/// Forms other than by cells are compiled for this execution space only: those for large boxes, and so none of a host
/// that has a device beside it.
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
  const std::int64_t cells = num_boxes * box_dim * box_dim * box_dim;
  const bool pays = is_gpu_v<Exec> && cells >= least_cells_of_planes && box_dim >= least_dim_of_planes;
  return pays && is_possible ? SweepForm::planes : SweepForm::cells;
}

}  // namespace ashlar::multigrid
