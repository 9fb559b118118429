// expect: hand in the matrix without const
#include <ashlar/interop/kokkos_kernels.hpp>

using Device = Kokkos::DefaultExecutionSpace::device_type;

int main() { ashlar::from_kokkos_kernels(KokkosSparse::CrsMatrix<const double, int, Device>()); }
