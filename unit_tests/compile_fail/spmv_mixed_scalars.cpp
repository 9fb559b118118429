// One scalar type for the matrix and both vectors: a conversion would be silent and slow.
// expect: ashlar::spmv: x must hold the matrix's scalar type
#include <ashlar/spmv/spmv.hpp>

void spmv_mixed_scalars(const Kokkos::DefaultExecutionSpace& exec, const ashlar::BcsrMatrix<double>& A,
                        const Kokkos::View<float*>& x, const Kokkos::View<double*>& y) {
  ashlar::spmv(exec, 1.0, A, x, 0.0, y);
}
