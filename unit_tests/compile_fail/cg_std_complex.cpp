// The standard's complex numbers are not for devices.
// expect: ashlar: b and x must hold float, double or their Kokkos::complex
#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <complex>

using Complex = std::complex<double>;

void cg_std_complex(const Kokkos::DefaultExecutionSpace& exec,
                    const ashlar::BcsrOperator<ashlar::BcsrMatrix<Kokkos::complex<double>>>& a,
                    const Kokkos::View<Complex*>& b, const Kokkos::View<Complex*>& x) {
  ashlar::pipelined_cg(exec, a, ashlar::IdentityPreconditioner(), b, x);
}
