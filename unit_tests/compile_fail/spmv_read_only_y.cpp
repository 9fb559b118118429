// The result needs somewhere to be written.
// expect: ashlar::spmv: y must be writable
#include <ashlar/spmv/spmv.hpp>

void spmv_read_only_y(const Kokkos::DefaultExecutionSpace& exec, const ashlar::BcsrMatrix<double>& A,
                      const Kokkos::View<double*>& x, const Kokkos::View<const double*>& y) {
  ashlar::spmv(exec, 1.0, A, x, 0.0, y);
}
