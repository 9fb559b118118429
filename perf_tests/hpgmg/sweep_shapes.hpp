#pragma once

#include <hpgmg/options.hpp>

namespace ashlar::perf {

/// Prints how long the kernels of each form of sweeps take alone on a level of fv4, for each shape that the work of a
/// team may have: what the library's choices are made from. Times are of one launch after another, checked by
/// measure_sweep_forms().
void measure_sweep_shapes(const Exec& exec, int cells, const HpgmgPerfOptions& options);

}  // namespace ashlar::perf
