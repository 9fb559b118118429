#include "solve/checks.hpp"

#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/symmetry.hpp>
#include <charconv>
#include <string>

namespace ashlar::app {

namespace impl {

using Rows = Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::int64_t>>;

/// The first row with a zero or without a diagonal entry; num_rows where each has one.
std::int64_t first_zero_diagonal(const Execution& exec, const Matrix& matrix) {
  const auto diagonal = diagonal_block_index(exec, matrix);
  const auto values = matrix.values();
  const std::int64_t b = matrix.block_size(), n = matrix.num_rows();
  std::int64_t first = n;
  Kokkos::parallel_reduce(
      "ashlar::app::zero_diagonal", Rows(exec, 0, n),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & lowest) {
        const std::int64_t block = diagonal(i / b), r = i % b;
        const bool zero = block < 0 || values(block * b * b + Matrix::layout_type::at(int(r), int(r), int(b))) == 0;
        if (zero && i < lowest) lowest = i;
      },
      Kokkos::Min<std::int64_t>(first));
  return first < n ? first : n;
}

}  // namespace impl

namespace {

/// The fewest digits that name the number, as in the file.
std::string shortest(double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number + 0.0).ptr;  // no -0
  return {digits.data(), end};
}

}  // namespace

void require_symmetric(const Execution& exec, const Matrix& matrix, const std::string& name) {
  const auto defect = hermitian_defect(exec, matrix);
  if (defect.relative <= symmetry_tolerance) return;
  const std::int64_t row = defect.row + 1, column = defect.column + 1;
  throw NumericalError(text(name, ": the matrix is not symmetric: entry (", row, ", ", column, ") is ",
                            shortest(defect.a_ij), " and entry (", column, ", ", row, ") is ", shortest(defect.a_ji)),
                       "CG solves symmetric positive definite systems; rows and columns are counted from 1",
                       "pass --skip-symmetry-check to try nevertheless");
}

void require_nonzero_diagonal(const Execution& exec, const Matrix& matrix, const std::string& name) {
  const std::int64_t row = impl::first_zero_diagonal(exec, matrix);
  if (row == matrix.num_rows()) return;
  throw NumericalError(text(name, ": the diagonal entry (", row + 1, ", ", row + 1, ") is 0"),
                       "Jacobi divides by it; rows are counted from 1", "pass --preconditioner none");
}

}  // namespace ashlar::app
