#pragma once

#include <string>

#include "types.hpp"

namespace ashlar::app {

/// The largest |a_ij - a_ji| over the largest |a_ij| that passes for rounding.
inline constexpr double symmetry_tolerance = 1e-10;

/// Throws NumericalError that names the worst entry of a matrix that is not symmetric; `name` is the file's.
void require_symmetric(const Execution& exec, const Matrix& matrix, const std::string& name);

}  // namespace ashlar::app
