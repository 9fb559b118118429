#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/symmetry_of_products.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "matrix_bytes.hpp"
#include "numbers.hpp"
#include "solve/solver_parts.hpp"

namespace ashlar::app {

NumericalError unsymmetric(const HermitianDefect<double>& defect, const std::string& name) {
  const std::int64_t row = defect.row + 1, column = defect.column + 1;
  return NumericalError(
      text(name, ": the matrix is not symmetric: entry (", row, ", ", column, ") is ", exact_number(defect.a_ij),
           " and entry (", column, ", ", row, ") is ", exact_number(defect.a_ji)),
      "CG and MINRES solve symmetric systems; rows and columns are counted from 1",
      "pass --solver gmres or bicgstab, or --skip-symmetry-check to try nevertheless");
}

template <class Exec>
SymmetryOfSystem symmetry_by_products(const Exec& exec, const Operator<Exec>& a, const LinearSystem<Exec>& system) {
  const auto products = symmetry_of_products<double>(exec, a, system.first_row());
  // Rounding of a sum of n products is some 1e-16 of the magnitude, and far less than n times as much.
  constexpr double tolerance = 1e-13;
  if (!products) return {.is_known = false};
  if (products->is_symmetric(tolerance)) return {};
  return {.fault = NumericalError(
              text(system.description, ": the matrix is not symmetric: x^T (A y) is ", short_number(products->x_ay),
                   " and y^T (A x) is ", short_number(products->y_ax), " for pseudo-random x and y"),
              "CG and MINRES solve symmetric systems",
              "pass --solver gmres or bicgstab, or --skip-symmetry-check to try nevertheless")};
}

template SymmetryOfSystem symmetry_by_products(const HostExecution&, const Operator<HostExecution>&,
                                               const LinearSystem<HostExecution>&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template SymmetryOfSystem symmetry_by_products(const Execution&, const Operator<Execution>&,
                                               const LinearSystem<Execution>&);
#endif

namespace {

template <class Exec>
SymmetryOfSystem symmetry_of(const Exec& exec, const LinearSystem<Exec>& system, const std::string& file) {
  if (system.in_file) {
    return symmetry_by_products(exec, Operator<Exec>(std::shared_ptr<const Streamed<Exec>>(system.in_file)), system);
  }
  if (system.over_ranks) return symmetry_by_products(exec, Operator<Exec>(system.over_ranks), system);
  SymmetryOfSystem found;
  system.visit(exec, [&](const auto& where, const auto& matrix) { found.fault = symmetry_fault(where, matrix, file); });
  return found;
}

/// True if all ranks have room for the vectors of GMRES twice. Ranks on hosts are taken to share their memory.
template <class Exec>
bool has_room_for_gmres(const World& world, const LinearSystem<Exec>& system, const SolveOptions& options) {
  const std::uint64_t sharers = is_gpu_v<Exec> ? 1 : std::uint64_t(world.comm().size());
  const std::uint64_t needed =
      gmres_bytes(system.rhs.extent(0), sizeof(double), true, options.method.restart_or_default());
  const bool has_room = 2 * sharers * needed <= bytes_left<typename Exec::memory_space>();
  return world.comm().max(has_room ? 0 : 1) == 0;
}

}  // namespace

template <class Exec>
SolverChoice choose_solver(const Exec& exec, const World& world, const LinearSystem<Exec>& system,
                           const SolveOptions& options) {
  const SolverKind asked = options.method.solver;
  const SourceOptions& source = options.source;
  const bool is_automatic = asked == SolverKind::automatic;
  SymmetryOfSystem symmetry;
  if (source.matrix && source.skip_symmetry_check) {
    symmetry.is_known = false;
  } else if (source.matrix && (is_automatic || needs_symmetry(asked))) {
    symmetry = symmetry_of(exec, system, *source.matrix);
  }
  if (!is_automatic) {
    world.alike([&] {
      if (symmetry.fault) throw *symmetry.fault;
    });
    return {asked, ""};
  }
  const bool is_symmetric = source.problem ? !source.is_unsymmetric() : symmetry.is_known && !symmetry.fault;
  if (is_symmetric) {
    return {SolverKind::cg, source.matrix ? "the matrix is symmetric" : "the problem is symmetric"};
  }
  const std::string why = symmetry.is_known ? text("the ", source.problem ? "problem" : "matrix", " is not symmetric")
                                            : "the matrix may not be symmetric";
  if (options.placement.device_memory_limit) {
    return {SolverKind::bicgstab, why + ", and --device-memory-limit leaves no room for the vectors of GMRES"};
  }
  if (has_room_for_gmres(world, system, options)) return {SolverKind::gmres, why};
  return {SolverKind::bicgstab, why + ", and there is too little memory for the vectors of GMRES"};
}

template SolverChoice choose_solver(const HostExecution&, const World&, const LinearSystem<HostExecution>&,
                                    const SolveOptions&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template SolverChoice choose_solver(const Execution&, const World&, const LinearSystem<Execution>&,
                                    const SolveOptions&);
#endif

}  // namespace ashlar::app
