// Solves an elastic beam by CG with algebraic multigrid. Then the material changes, and the hierarchy takes the new
// values of the matrix.
#include <Kokkos_Core.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstdio>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Matrix = ashlar::BcsrMatrix<double>;
using Vector = Kokkos::View<double*, Space>;

/// x, y and z of node 0, then of node 1, and so on.
Vector coordinates_of(const ashlar::problems::Cantilever& beam) {
  const std::vector<double> points = ashlar::problems::hex_points(ashlar::problems::cantilever_grid(beam));
  const Vector coordinates("coordinates", points.size());
  Kokkos::deep_copy(coordinates, Kokkos::View<const double*, Kokkos::HostSpace>(points.data(), points.size()));
  return coordinates;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  ashlar::problems::Cantilever beam{.nodes = {41, 11, 11}};
  const auto a = ashlar::problems::cantilever_matrix<Matrix>(exec, beam);
  const auto b = ashlar::problems::cantilever_load<double>(exec, beam);
  const Vector coordinates = coordinates_of(beam);

  const auto modes = ashlar::amg::rigid_body_modes<Space>(exec, coordinates, 3, a.block_size());
  const ashlar::amg::Preconditioner<Matrix> amg(exec, a, modes);
  const ashlar::BcsrOperator<Matrix> op(exec, a);
  const Vector x("x", a.num_rows());
  const ashlar::SolveReport first = ashlar::cg(exec, op, amg, b, x, {.rtol = 1e-8});

  beam.poissons_ratio = 0.4;
  const auto a_new = ashlar::problems::cantilever_matrix<Matrix>(exec, beam);
  amg.update_values(exec, a_new);
  const ashlar::BcsrOperator<Matrix> op_new(exec, a_new);
  Kokkos::deep_copy(exec, x, 0.0);
  const ashlar::SolveReport second = ashlar::cg(exec, op_new, amg, b, x, {.rtol = 1e-8});

  std::printf("%s", amg.explain().c_str());
  std::printf("%d iterations; with the new material %d\n", first.iterations, second.iterations);
  const bool converged =
      first.status == ashlar::SolveStatus::converged && second.status == ashlar::SolveStatus::converged;
  return converged && first.iterations < 40 && second.iterations < 40 ? 0 : 1;
}
