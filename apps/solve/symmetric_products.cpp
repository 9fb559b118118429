#include "solve/symmetric_products.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/symmetry_of_products.hpp>

#include "number_text.hpp"

namespace ashlar::app {

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

}  // namespace ashlar::app
