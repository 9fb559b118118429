#pragma once

#include <hpgmg/options.hpp>
#include <nlohmann/json.hpp>

namespace ashlar::perf {

/// What fv4 does most on a level of cells^3, in each number of boxes and each form of sweeps: two half sweeps of
/// Gauss-Seidel, a residual, and filling ghost cells, of which the first has two and the second one. Adds a row for
/// each to `rows`. `read_gb_s` is the read bandwidth of the run.
///
/// Returns  whether all forms gave the same bits.
bool measure_sweep_forms(const Exec& exec, int cells, const HpgmgPerfOptions& options, double read_gb_s,
                         nlohmann::json& rows);

}  // namespace ashlar::perf
