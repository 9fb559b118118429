// A vector on the host is out of a GPU's reach. A case where there is a GPU only.
// expect: ashlar::spmv: A, x and y must be reachable from the execution space
#include <ashlar/spmv/spmv.hpp>

void spmv_unreachable_x(const Kokkos::DefaultExecutionSpace& exec, const ashlar::BcsrMatrix<double>& A,
                        const Kokkos::View<double*, Kokkos::HostSpace>& x, const Kokkos::View<double*>& y) {
  ashlar::spmv(exec, 1.0, A, x, 0.0, y);
}
