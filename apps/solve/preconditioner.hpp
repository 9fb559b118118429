#pragma once

#include <string>

#include "solve/options.hpp"
#include "solve/system.hpp"
#include "types.hpp"

namespace ashlar::app {

/// The preconditioner that was asked for. All but algebraic multigrid look at the diagonal alone, which goes to the
/// device also where the matrix does not stay there. `hierarchy` becomes the levels of algebraic multigrid, a line
/// each.
///
/// Throws   NumericalError where it does not exist, naming the system and the rows; of algebraic multigrid FileError
///          for the file of coordinates, and Error for a matrix that is streamed.
template <class Exec>
Preconditioner<Exec> make_preconditioner(const Exec& exec, const LinearSystem<Exec>& system,
                                         const MethodOptions& method, std::string& hierarchy);

}  // namespace ashlar::app
