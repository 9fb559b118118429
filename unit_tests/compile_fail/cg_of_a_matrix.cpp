// Solvers know operators, of which a matrix is one part.
// expect: ashlar: A is a matrix, and solvers take operators: wrap it in BcsrOperator
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/krylov/cg.hpp>

void cg_of_a_matrix(const Kokkos::DefaultExecutionSpace& exec, const ashlar::BcsrMatrix<double>& a,
                    const Kokkos::View<double*>& b, const Kokkos::View<double*>& x) {
  ashlar::cg(exec, a, ashlar::IdentityPreconditioner(), b, x);
}
