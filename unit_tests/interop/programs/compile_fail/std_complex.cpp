// expect: make the matrix with Kokkos::complex
#include <ashlar/interop/kokkos_kernels.hpp>
#include <complex>

using Device = Kokkos::DefaultExecutionSpace::device_type;

int main() { ashlar::from_kokkos_kernels(KokkosSparse::CrsMatrix<std::complex<double>, int, Device>()); }
