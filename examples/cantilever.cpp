// Generates a steel beam of 10 m x 1 m x 1 m, held at one end and pulled down at the other, and computes how far it
// bends.
#include <Kokkos_Core.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Kokkos::DefaultExecutionSpace exec;

  using Matrix = ashlar::BcsrMatrix<double>;
  const ashlar::problems::Cantilever beam{
      .nodes = {81, 9, 9}, .dof = 3, .youngs_modulus = 200e9, .traction = {0, 0, -1e6}};
  const auto a = ashlar::problems::cantilever_matrix<Matrix>(exec, beam);
  const auto b = ashlar::problems::cantilever_load<double>(exec, beam);

  const ashlar::BcsrOperator<Matrix> op(exec, a);
  const ashlar::BlockJacobiPreconditioner<Matrix> preconditioner(exec, a);
  const Kokkos::View<double*> x("x", a.num_rows());
  const ashlar::SolveReport report = ashlar::cg(exec, op, preconditioner, b, x, {.rtol = 1e-8});

  // The last unknown is the last node's displacement along z: at a corner of the end that moves.
  double deflection = 0;
  Kokkos::deep_copy(deflection, Kokkos::subview(x, a.num_rows() - 1));
  std::printf("%d iterations; the end moves down by %.2f mm, that of a thin beam by 20 mm\n", report.iterations,
              -1e3 * deflection);
  return report.status == ashlar::SolveStatus::converged && deflection < -0.019 && deflection > -0.021 ? 0 : 1;
}
