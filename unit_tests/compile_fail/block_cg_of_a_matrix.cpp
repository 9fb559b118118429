// As of a single right-hand side.
// expect: ashlar: A is a matrix, and solvers take operators: wrap it in BcsrOperator
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/concepts.hpp>

void block_cg_of_a_matrix(const Kokkos::DefaultExecutionSpace& exec, const ashlar::BcsrMatrix<double>& a,
                          const Kokkos::View<double**>& b, const Kokkos::View<double**>& x) {
  ashlar::block_cg(exec, a, ashlar::IdentityPreconditioner(), b, x);
}
