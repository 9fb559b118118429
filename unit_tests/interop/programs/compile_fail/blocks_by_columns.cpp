// expect: make the matrix with BlockRowMajor
#include <ashlar/interop/kokkos_kernels.hpp>

int main() { return static_cast<int>(ashlar::to_kokkos_kernels(ashlar::BcsrMatrix<double>()).numRows()); }
