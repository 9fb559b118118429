#pragma once

#include <string>

#include "solve/options.hpp"
#include "solve/system.hpp"
#include "types.hpp"

namespace ashlar::app {

/// Algebraic multigrid for a matrix in memory, with the modes that were asked for. `hierarchy` becomes its levels, a
/// line each. Over ranks: collective.
///
/// Throws   FileError for the file of coordinates; NumericalError for a diagonal block without an inverse.
template <class Exec>
Preconditioner<Exec> amg_preconditioner(const Exec& exec, const LinearSystem<Exec>& system, const MethodOptions& method,
                                        std::string& hierarchy);

}  // namespace ashlar::app
