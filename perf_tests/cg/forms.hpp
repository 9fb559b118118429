#pragma once

#include <cg/options.hpp>
#include <cg/results.hpp>
#include <cg/system.hpp>
#include <support/types.hpp>

namespace ashlar::perf {

/// Our forms of CG, GMRES and BiCGStab on one system, with each of its preconditioners: checked, then timed.
///
/// A form is right where a solve converges, the residual is small by plain loops too, the iterations are as many as
/// kernel by kernel (give or take one; three for pipelined CG; any for the others), and a second solve gives the same
/// bits.
void measure_forms(const Exec& exec, const CgPerfOptions& options, const CgSystem& system, CgResults& results);

}  // namespace ashlar::perf
