// A row of a column-major array is no contiguous vector.
// expect: ashlar::cg: x must be a contiguous Kokkos::View of rank 1
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>

void cg_strided_x(const Kokkos::DefaultExecutionSpace& exec, const ashlar::BcsrOperator<ashlar::BcsrMatrix<double>>& a,
                  const Kokkos::View<double*>& b, const Kokkos::View<double*, Kokkos::LayoutStride>& x) {
  ashlar::cg(exec, a, ashlar::IdentityPreconditioner(), b, x);
}
