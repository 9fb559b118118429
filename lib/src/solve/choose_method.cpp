#include "choose_method.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/symmetry.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ashlar {

std::string_view to_string(SolveMethod method) {
  constexpr std::string_view names[] = {"automatic", "cg", "minres", "gmres", "bicgstab"};
  return names[static_cast<int>(method)];
}

std::string_view to_string(SolvePreconditioner preconditioner) {
  constexpr std::string_view names[] = {"automatic", "none", "jacobi", "block_jacobi", "amg", "ilu0", "ssor"};
  return names[static_cast<int>(preconditioner)];
}

namespace impl {

template <class Scalar>
SolveMethod choose_method(const Kokkos::DefaultExecutionSpace& exec, const BcsrMatrix<Scalar>& a,
                          const LinearSolveOptions& options, bool has_gmres, LinearSolveReport& report) {
  constexpr double tolerance = sizeof(Scalar) == sizeof(double) ? 1e-10 : 1e-5;
  const bool is_automatic = options.method == SolveMethod::automatic;
  if (!is_automatic && !needs_symmetry(options.method)) return options.method;
  const auto defect = hermitian_defect(exec, a);
  if (defect.relative <= tolerance) {
    report.why = "the matrix is symmetric";
    return is_automatic ? SolveMethod::cg : options.method;
  }
  const auto at = [](std::int64_t row, std::int64_t column) { return text("(", row, ", ", column, ")"); };
  for (const auto& [place, entry] :
       {std::pair(at(defect.row, defect.column), defect.a_ij), std::pair(at(defect.column, defect.row), defect.a_ji)}) {
    if (is_finite(entry)) continue;
    throw NumericalError(text("ashlar::solve: entry ", place, " of the matrix is ", entry),
                         "every entry must be finite; rows are counted from 0", "find out where it comes from");
  }
  if (!is_automatic) {
    throw NumericalError(
        text("ashlar::solve: the matrix is not symmetric: entries ", at(defect.row, defect.column), " and ",
             at(defect.column, defect.row), " differ by ", defect.relative, " of the diagonal of these rows"),
        text(to_string(options.method), " solves symmetric systems; rows are counted from 0"),
        "take SolveMethod::automatic, gmres or bicgstab");
  }
  report.why = "the matrix is not symmetric";
  const std::uint64_t needed = gmres_bytes(a.num_rows(), sizeof(Scalar), true, options.restart);
  using Space = Kokkos::DefaultExecutionSpace::memory_space;
  if (has_gmres || 2 * needed <= available_bytes<Space>()) return SolveMethod::gmres;
  report.why += ", and there is too little memory for the vectors of GMRES";
  return SolveMethod::bicgstab;
}

template SolveMethod choose_method(const Kokkos::DefaultExecutionSpace&, const BcsrMatrix<float>&,
                                   const LinearSolveOptions&, bool, LinearSolveReport&);
template SolveMethod choose_method(const Kokkos::DefaultExecutionSpace&, const BcsrMatrix<double>&,
                                   const LinearSolveOptions&, bool, LinearSolveReport&);

}  // namespace impl

}  // namespace ashlar
