#pragma once

#include <ashlar/bcsr/symmetry.hpp>
#include <string>

namespace ashlar::app {

/// The largest HermitianDefect::relative that passes for rounding.
inline constexpr double symmetry_tolerance = 1e-10;

/// Throws NumericalError that names the worst entry; `name` is the file's.
[[noreturn]] void refuse_unsymmetric(const HermitianDefect<double>& defect, const std::string& name);

/// Throws NumericalError for a matrix, reachable from `exec`, that is not symmetric.
template <class Exec, class Matrix>
void require_symmetric(const Exec& exec, const Matrix& matrix, const std::string& name) {
  const HermitianDefect<double> defect = hermitian_defect(exec, matrix);
  if (!(defect.relative <= symmetry_tolerance)) refuse_unsymmetric(defect, name);
}

}  // namespace ashlar::app
