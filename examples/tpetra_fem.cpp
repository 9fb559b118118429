// A finite-element program on Tpetra and Belos: a plate, clamped at its left edge and pulled at its right one. With the
// lines (1) to (3) Ashlar multiplies in place of Tpetra. With (4) and (5) Belos has Ashlar's multigrid as its
// preconditioner. mpirun -n 2 example_tpetra_fem [NODES a side]
#include <BelosLinearProblem.hpp>
#include <BelosSolverFactory_Tpetra.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Kokkos_Timer.hpp>
#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_Core.hpp>
#include <ashlar/interop/tpetra.hpp>  // (1)
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using Teuchos::RCP;
using Teuchos::rcp;
using Map = Tpetra::Map<>;
using LO = Map::local_ordinal_type;
using GO = Map::global_ordinal_type;
using Vectors = Tpetra::MultiVector<>;
using Operator = Tpetra::Operator<>;

/// Entry (r, c) of the block that ties corner a to corner b of a square bilinear element in plane stress, E = 1, nu =
/// 0.3.
double stiffness(int a, int b, int r, int c) {
  const double x[] = {-1, 1, 1, -1}, y[] = {-1, -1, 1, 1}, nu = 0.3, g = 1 / std::sqrt(3.);
  double sum = 0;
  for (const double s : {-g, g}) {
    for (const double t : {-g, g}) {
      const double da[] = {x[a] * (1 + t * y[a]) / 4, y[a] * (1 + s * x[a]) / 4};
      const double db[] = {x[b] * (1 + t * y[b]) / 4, y[b] * (1 + s * x[b]) / 4};
      const double shear = (1 - nu) / 2;
      sum += r == c ? da[r] * db[r] + shear * da[1 - r] * db[1 - r] : nu * da[r] * db[c] + shear * da[c] * db[r];
    }
  }
  return sum / (1 - nu * nu);
}

/// The plate's stiffness: a block of 2 x 2 for each two nodes of an element, of nodes numbered row by row.
RCP<Tpetra::BlockCrsMatrix<>> assemble(int n, const RCP<const Map>& map) {
  const auto for_elements_at = [n](GO node, const auto& work) {  // work(own corner, other corner, other node)
    const int dx[] = {0, 1, 1, 0}, dy[] = {0, 0, 1, 1};
    for (int a = 0; a < 4; ++a) {
      const int x = int(node % n) - dx[a], y = int(node / n) - dy[a];
      if (x < 0 || y < 0 || x + 1 >= n || y + 1 >= n) continue;
      for (int b = 0; b < 4; ++b) work(a, b, GO(y + dy[b]) * n + x + dx[b]);
    }
  };
  Tpetra::CrsGraph<> graph(map, 9);
  for (LO i = 0; i < LO(map->getLocalNumElements()); ++i) {
    const GO node = map->getGlobalElement(i);
    for_elements_at(
        node, [&](int, int, GO other) { graph.insertGlobalIndices(node, Teuchos::ArrayView<const GO>(&other, 1)); });
  }
  graph.fillComplete();
  const auto matrix = rcp(new Tpetra::BlockCrsMatrix<>(graph, 2));
  for (LO i = 0; i < LO(map->getLocalNumElements()); ++i) {
    const GO node = map->getGlobalElement(i);
    for_elements_at(node, [&](int a, int b, GO other) {
      double block[4] = {};
      const bool is_clamped = node % n == 0 || other % n == 0;
      for (int k = 0; k < 4; ++k) block[k] = is_clamped ? (node == other && k % 3 == 0) : stiffness(a, b, k / 2, k % 2);
      const LO column = matrix->getColMap()->getLocalElement(other);
      matrix->sumIntoLocalValues(i, &column, block, 1);
    });
  }
  return matrix;
}

/// x and y of each node.
RCP<Vectors> node_coordinates(int n, const RCP<const Map>& map) {
  const auto coordinates = rcp(new Vectors(map, 2));
  for (LO i = 0; i < LO(map->getLocalNumElements()); ++i) {
    const GO node = map->getGlobalElement(i);
    coordinates->replaceLocalValue(i, 0, double(node % n) / (n - 1));
    coordinates->replaceLocalValue(i, 1, double(node / n) / (n - 1));
  }
  return coordinates;
}

/// Solves for the displacements and says how fast; the mean one of the right edge.
double solve(const char* who, const RCP<const Operator>& a, int n,
             const RCP<const Operator>& preconditioner = Teuchos::null) {
  const RCP<const Map> map = a->getDomainMap();
  const auto x = rcp(new Vectors(map, 1)), b = rcp(new Vectors(map, 1));
  for (std::size_t i = 0; i < map->getLocalNumElements(); i += 2) {
    if (map->getGlobalElement(LO(i)) / 2 % n == n - 1) b->replaceLocalValue(LO(i), 0, 1. / n);
  }
  const auto problem = rcp(new Belos::LinearProblem<double, Vectors, Operator>(a, x, b));
  if (!preconditioner.is_null()) problem->setLeftPrec(preconditioner);
  problem->setProblem();
  const auto list = Teuchos::parameterList();
  list->set("Convergence Tolerance", 1e-8);
  list->set("Maximum Iterations", 20 * n);
  const auto cg = Belos::SolverFactory<double, Vectors, Operator>().create("TPETRA CG", list);
  cg->setProblem(problem);
  const Kokkos::Timer timer;
  const bool is_solved = cg->solve() == Belos::Converged;
  const double seconds = timer.seconds();
  std::vector<double> stretch(1);
  x->dot(*b, Teuchos::ArrayView<double>(stretch.data(), 1));
  if (map->getComm()->getRank() == 0) {
    std::printf("%s: %s after %d iterations, %.3f ms each; the right edge moves by %.6f\n", who,
                is_solved ? "solved" : "not solved", cg->getNumIters(), 1e3 * seconds / cg->getNumIters(), stretch[0]);
  }
  return is_solved ? stretch[0] : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  const int n = argc > 1 ? std::atoi(argv[1]) : 200;
  const RCP<const Map> map = rcp(new Map(Tpetra::global_size_t(n) * n, 0, Tpetra::getDefaultComm()));
  const auto matrix = assemble(n, map);
  const double tpetras = solve("Tpetra's product", matrix, n);
  const RCP<const Operator> product = ashlar::tpetra_operator(*matrix);     // (2)
  const double ours = solve("Ashlar's product", product, n);                // (3)
  const auto amg = ashlar::tpetra_amg(*matrix, *node_coordinates(n, map));  // (4)
  const double with_amg = solve("Ashlar's multigrid", product, n, amg);     // (5)
  // Within the Poisson effect of the clamped edge, a unit square pulled by a unit force grows by 1 / E.
  return std::abs(ours - tpetras) < 1e-6 && std::abs(ours - with_amg) < 1e-5 && std::abs(ours - 1) < 0.1 ? 0 : 1;
}
