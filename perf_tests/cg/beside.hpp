#pragma once

#include <cg/options.hpp>
#include <cg/results.hpp>
#include <cg/system.hpp>
#include <support/types.hpp>

namespace ashlar::perf {

/// CG of other libraries on one system, without preconditioner: checked by the residual of what it converges to, then
/// timed.
void measure_peers(const Exec& exec, const CgPerfOptions& options, const CgSystem& system, CgResults& results);

}  // namespace ashlar::perf
