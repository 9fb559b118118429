// The kernels read x as one stretch of memory.
// expect: ashlar::spmv: x must be a contiguous Kokkos::View of rank 1
#include <ashlar/spmv/spmv.hpp>

void spmv_strided_x(const Kokkos::DefaultExecutionSpace& exec, const ashlar::BcsrMatrix<double>& A,
                    const Kokkos::View<double*, Kokkos::LayoutStride>& x, const Kokkos::View<double*>& y) {
  ashlar::spmv(exec, 1.0, A, x, 0.0, y);
}
