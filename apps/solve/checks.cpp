#include "solve/checks.hpp"

#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <charconv>
#include <string>

namespace ashlar::app {

namespace {

/// The fewest digits that name the number, as in the file.
std::string shortest(double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number + 0.0).ptr;  // no -0
  return {digits.data(), end};
}

}  // namespace

void refuse_unsymmetric(const HermitianDefect<double>& defect, const std::string& name) {
  const std::int64_t row = defect.row + 1, column = defect.column + 1;
  throw NumericalError(text(name, ": the matrix is not symmetric: entry (", row, ", ", column, ") is ",
                            shortest(defect.a_ij), " and entry (", column, ", ", row, ") is ", shortest(defect.a_ji)),
                       "CG solves symmetric positive definite systems; rows and columns are counted from 1",
                       "pass --skip-symmetry-check to try nevertheless");
}

}  // namespace ashlar::app
