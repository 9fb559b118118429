#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/symmetry.hpp>
#include <optional>
#include <string>

namespace ashlar::app {

/// The largest HermitianDefect::relative that passes for rounding.
inline constexpr double symmetry_tolerance = 1e-10;

/// The error that names the worst entry; `name` is the file's.
NumericalError unsymmetric(const HermitianDefect<double>& defect, const std::string& name);

/// What is wrong with a matrix, reachable from `exec`, that is not symmetric; nothing if it is.
template <class Exec, class Matrix>
std::optional<NumericalError> symmetry_fault(const Exec& exec, const Matrix& matrix, const std::string& name) {
  const HermitianDefect<double> defect = hermitian_defect(exec, matrix);
  if (defect.relative <= symmetry_tolerance) return std::nullopt;
  return unsymmetric(defect, name);
}

}  // namespace ashlar::app
