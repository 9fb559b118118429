#include "solve/checks.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <string>

#include "number_text.hpp"

namespace ashlar::app {

NumericalError unsymmetric(const HermitianDefect<double>& defect, const std::string& name) {
  const std::int64_t row = defect.row + 1, column = defect.column + 1;
  return NumericalError(
      text(name, ": the matrix is not symmetric: entry (", row, ", ", column, ") is ", exact_number(defect.a_ij),
           " and entry (", column, ", ", row, ") is ", exact_number(defect.a_ji)),
      "CG and MINRES solve symmetric systems; rows and columns are counted from 1",
      "pass --solver gmres or bicgstab, or --skip-symmetry-check to try nevertheless");
}

}  // namespace ashlar::app
