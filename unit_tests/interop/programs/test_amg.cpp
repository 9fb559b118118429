// Algebraic multigrid as a preconditioner of Belos, on an elastic beam and on diffusion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <BelosLinearProblem.hpp>
#include <BelosSolverFactory_Tpetra.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/amg/distributed.hpp>
#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/interop/tpetra.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/message.hpp"
#include "support/mpi_world.hpp"
#include "system.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Operator = Tpetra::Operator<>;
using Matrix = BcsrMatrix<double, BlockRowMajor, LO, std::size_t>;
using Amg = amg::Preconditioner<DistributedMatrix<Matrix>>;

/// A beam of `dof` unknowns a node. Every rank knows all of its matrix.
struct Beam {
  problems::Cantilever problem{.nodes = {17, 5, 5}, .weight = 1e-3};
  Matrix all;
  std::vector<double> points;

  explicit Beam(int dof = 3, double poissons_ratio = 0.3) {
    problem.dof = dof;
    problem.poissons_ratio = poissons_ratio;
    all = problems::cantilever_matrix<Matrix>(Exec(), problem);
    points = problems::hex_points(problems::cantilever_grid(problem));
    Exec().fence();
  }

  int num_nodes() const { return static_cast<int>(all.num_block_rows()); }
  RowPartition partition() const { return RowPartition::even(num_nodes(), world().size()); }
  Teuchos::RCP<const MeshMap> map() const { return System{num_nodes(), 1}.contiguous_map(); }
  /// The last nodes are on the first rank, and the last of its own comes first.
  Teuchos::RCP<const MeshMap> reversed_map() const {
    std::vector<GO> mine;
    const RowPartition parts = partition();
    for (std::int64_t k = parts.begin(world().rank()); k < parts.end(world().rank()); ++k) {
      mine.push_back(num_nodes() - 1 - k);
    }
    return Teuchos::rcp(new MeshMap(Tpetra::global_size_t(num_nodes()),
                                    Teuchos::arrayViewFromVector(std::as_const(mine)), 0, all_ranks()));
  }

  Teuchos::RCP<BlockMatrix> assembled(const Teuchos::RCP<const MeshMap>& map) const {
    const auto row_ptr = all.graph().row_ptr();
    const auto col_idx = all.graph().col_idx();
    const int b = all.block_size();
    Tpetra::CrsGraph<> graph(map, 27);
    for (LO i = 0; i < LO(map->getLocalNumElements()); ++i) {
      const GO row = map->getGlobalElement(i);
      for (std::size_t k = row_ptr(row); k < row_ptr(row + 1); ++k) {
        const GO column = col_idx(k);
        graph.insertGlobalIndices(row, Teuchos::ArrayView<const GO>(&column, 1));
      }
    }
    graph.fillComplete();
    const auto matrix = Teuchos::rcp(new BlockMatrix(graph, b));
    for (LO i = 0; i < LO(map->getLocalNumElements()); ++i) {
      const GO row = map->getGlobalElement(i);
      for (std::size_t k = row_ptr(row); k < row_ptr(row + 1); ++k) {
        const LO column = matrix->getColMap()->getLocalElement(col_idx(k));
        matrix->replaceLocalValues(i, &column, all.values().data() + k * b * b, 1);
      }
    }
    return matrix;
  }

  Teuchos::RCP<Vectors> coordinates(const Teuchos::RCP<const MeshMap>& map) const {
    const auto result = Teuchos::rcp(new Vectors(map, 3));
    const auto view = result->getLocalViewHost(Tpetra::Access::OverwriteAll);
    for (std::size_t i = 0; i < view.extent(0); ++i) {
      for (int d = 0; d < 3; ++d) view(i, d) = points[std::size_t(map->getGlobalElement(LO(i)) * 3 + d)];
    }
    return result;
  }

  /// The load, of a map of unknowns.
  Teuchos::RCP<Vectors> load(const Teuchos::RCP<const MeshMap>& map) const {
    const auto values = problems::cantilever_load<double>(Exec(), problem);
    Exec().fence();
    const auto result = Teuchos::rcp(new Vectors(map, 1));
    const auto view = result->getLocalViewHost(Tpetra::Access::OverwriteAll);
    for (std::size_t i = 0; i < view.extent(0); ++i) view(i, 0) = values(map->getGlobalElement(LO(i)));
    return result;
  }
};

/// The iterations of a solver of Belos to a relative residual of 1e-8; -1 if the true one is not there.
int iterations(const std::string& solver, const Teuchos::RCP<const Operator>& a, const Vectors& b,
               const Teuchos::RCP<const Operator>& preconditioner) {
  const std::size_t num_vectors = b.getNumVectors();
  const auto x = Teuchos::rcp(new Vectors(a->getDomainMap(), num_vectors));
  const auto rhs = Teuchos::rcp(new Vectors(b, Teuchos::Copy));
  const auto problem = Teuchos::rcp(new Belos::LinearProblem<double, Vectors, Operator>(a, x, rhs));
  if (!preconditioner.is_null()) problem->setLeftPrec(preconditioner);
  if (!problem->setProblem()) return -1;
  const auto list = Teuchos::parameterList();
  list->set("Convergence Tolerance", 1e-8);
  list->set("Maximum Iterations", 2000);
  const auto manager = Belos::SolverFactory<double, Vectors, Operator>().create(solver, list);
  manager->setProblem(problem);
  if (manager->solve() != Belos::Converged) return -1;
  Vectors residual(b, Teuchos::Copy);
  a->apply(*x, residual, Teuchos::NO_TRANS, -1, 1);
  std::vector<double> norms(num_vectors), loads(num_vectors);
  residual.norm2(Teuchos::arrayViewFromVector(norms));
  b.norm2(Teuchos::arrayViewFromVector(loads));
  for (std::size_t j = 0; j < num_vectors; ++j) {
    if (!(norms[j] < 1e-7 * loads[j])) return -1;
  }
  return manager->getNumIters();
}

Teuchos::RCP<const Operator> block_jacobi(const BlockMatrix& a) {
  const BlockJacobiPreconditioner m(Exec(), diagonal_blocks(Exec(), from_tpetra(a)));
  return tpetra_operator(m, a.getDomainMap());
}

/// M^-1 r, for an r without any pattern.
Teuchos::RCP<Vectors> applied(const Operator& m, std::size_t num_vectors = 1) {
  Vectors r(m.getDomainMap(), num_vectors);
  fill(r);
  const auto z = Teuchos::rcp(new Vectors(m.getRangeMap(), num_vectors));
  m.apply(r, *z);
  return z;
}

/// The largest entry of a - b over the largest entry of b.
double difference(const Vectors& a, const Vectors& b) {
  Vectors d(a, Teuchos::Copy);
  d.update(-1, b, 1);
  std::vector<double> of(a.getNumVectors()), from(a.getNumVectors());
  d.normInf(Teuchos::arrayViewFromVector(of));
  b.normInf(Teuchos::arrayViewFromVector(from));
  double largest = 0;
  for (std::size_t j = 0; j < of.size(); ++j) largest = std::fmax(largest, of[j] / from[j]);
  return largest;
}

TEST(TpetraAmg, BelosNeedsFewIterations) {
  const Beam beam;
  for (const auto& map : {beam.map(), beam.reversed_map()}) {
    const auto a = beam.assembled(map);
    const auto b = beam.load(a->getRangeMap());
    const auto m = tpetra_amg(*a, *beam.coordinates(map));
    for (const std::string solver : {"TPETRA CG", "BLOCK CG"}) {
      const int with_none = iterations(solver, a, *b, Teuchos::null);
      const int with_jacobi = iterations(solver, a, *b, block_jacobi(*a));
      const int with_amg = iterations(solver, a, *b, m);
      EXPECT_GT(with_none, 0) << solver;
      EXPECT_GT(with_jacobi, 0) << solver;
      EXPECT_GT(with_amg, 0) << solver;
      EXPECT_LT(3 * with_amg, std::min(with_none, with_jacobi)) << solver;
    }
  }
}

TEST(TpetraAmg, BelosSolvesForSeveralLoads) {
  const Beam beam;
  const auto a = beam.assembled(beam.map());
  Vectors b(a->getRangeMap(), 3);
  fill(b);
  const int with_amg = iterations("PSEUDOBLOCK CG", a, b, tpetra_amg(*a, *beam.coordinates(beam.map())));
  EXPECT_GT(with_amg, 0);
  EXPECT_LT(3 * with_amg, iterations("PSEUDOBLOCK CG", a, b, block_jacobi(*a)));
}

TEST(TpetraAmg, IsOurHierarchyOfTheSameMatrix) {
  const Beam beam;
  const Exec exec;
  const auto a = beam.assembled(beam.map());
  const auto m = tpetra_amg(*a, *beam.coordinates(beam.map()));

  const RowPartition partition = beam.partition();
  const problems::RowRange own{partition.begin(world().rank()), partition.end(world().rank())};
  const auto comm = std::make_shared<const Communicator>(world().duplicate());
  const DistributedMatrix<Matrix> ours(exec, comm, partition, partition,
                                       problems::cantilever_matrix<Matrix>(exec, beam.problem, own));
  const Kokkos::View<double*> points("points", std::size_t(own.end - own.begin) * 3);
  for (std::size_t i = 0; i < points.extent(0); ++i) points(i) = beam.points[std::size_t(own.begin) * 3 + i];
  const Amg our_amg(exec, ours, amg::rigid_body_modes<Exec::memory_space>(exec, points, 3, 3, world()));
  EXPECT_EQ(m->op().explain(), our_amg.explain());

  const auto z = applied(*m);
  const auto our_z = applied(*tpetra_operator(our_amg, m->getDomainMap()));
  EXPECT_LT(difference(*z, *our_z), 1e-10);

  const auto load = problems::cantilever_load<double>(exec, beam.problem, own);
  const Kokkos::View<double*> x("x", load.extent(0));
  const SolveReport report = cg(exec, DistributedOperator<Matrix>(exec, ours), our_amg, load, x, {.rtol = 1e-8});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_NEAR(iterations("PSEUDOBLOCK CG", a, *beam.load(a->getRangeMap()), m), report.iterations, 1);
}

/// (A new hierarchy may have other aggregates: weights decide which node joins which.)
TEST(TpetraAmg, TakesNewValues) {
  const Beam beam, harder(3, 0.45);
  const auto map = beam.map();
  const auto a = beam.assembled(map), new_a = harder.assembled(map);
  const auto coordinates = beam.coordinates(map);
  const auto m = tpetra_amg(*a, *coordinates);
  const auto before = applied(*m);
  m->update_values(*new_a);
  EXPECT_GT(difference(*applied(*m), *before), 1e-3);
  const auto load = harder.load(new_a->getRangeMap());
  const int expected = iterations("PSEUDOBLOCK CG", new_a, *load, tpetra_amg(*new_a, *coordinates));
  EXPECT_NEAR(iterations("PSEUDOBLOCK CG", new_a, *load, m), expected, 3);
  m->update_values(*a);
  EXPECT_LT(difference(*applied(*m), *before), 1e-14);
}

TEST(TpetraAmg, AppliesToColumnsWithScalars) {
  const Beam beam;
  const auto a = beam.assembled(beam.map());
  const auto m = tpetra_amg(*a, *beam.coordinates(beam.map()));
  const auto z = applied(*m, 3);
  Vectors r(m->getDomainMap(), 3), y(m->getRangeMap(), 3);
  fill(r);
  Vectors of_column(m->getRangeMap(), 1);
  m->apply(*r.getVector(2), of_column);
  EXPECT_EQ(difference(of_column, *z->getVector(2)), 0);

  y.putScalar(std::numeric_limits<double>::quiet_NaN());
  m->apply(r, y, Teuchos::NO_TRANS, -2, 0);
  Vectors expected(*z, Teuchos::Copy);
  expected.scale(-2);
  EXPECT_LT(difference(y, expected), 1e-14);
  y.putScalar(1);
  expected.putScalar(0.5);
  expected.update(3, *z, 1);
  m->apply(r, y, Teuchos::NO_TRANS, 3, 0.5);
  EXPECT_LT(difference(y, expected), 1e-14);
}

/// Constants are the default, and entries of a CrsMatrix are blocks of size 1.
TEST(TpetraAmg, DiffusionNeedsNoCoordinates) {
  const Beam beam(1);
  const auto map = beam.map();
  const auto a = beam.assembled(map);
  Vectors b(a->getRangeMap(), 1);
  fill(b);
  const auto m = tpetra_amg(*a);
  const int with_amg = iterations("BLOCK CG", a, b, m);
  EXPECT_GT(with_amg, 0);
  EXPECT_LT(with_amg, iterations("BLOCK CG", a, b, block_jacobi(*a)));

  const auto scalars = Teuchos::rcp(new Tpetra::CrsMatrix<>(map, 27));
  for (LO i = 0; i < LO(map->getLocalNumElements()); ++i) {
    const GO row = map->getGlobalElement(i);
    for (std::size_t k = beam.all.graph().row_ptr()(row); k < beam.all.graph().row_ptr()(row + 1); ++k) {
      const GO column = beam.all.graph().col_idx()(k);
      scalars->insertGlobalValues(row, Teuchos::ArrayView<const GO>(&column, 1),
                                  Teuchos::ArrayView<const double>(beam.all.values().data() + k, 1));
    }
  }
  scalars->fillComplete();
  EXPECT_LT(difference(*applied(*tpetra_amg(*scalars)), *applied(*m)), 1e-14);
}

TEST(TpetraAmg, TakesModesAndOptions) {
  const Beam beam;
  const auto a = beam.assembled(beam.map());
  const auto modes = amg::constant_modes<Exec::memory_space>(Exec(), beam.map()->getLocalNumElements(), 3);
  EXPECT_LT(difference(*applied(*tpetra_amg(*a, modes)), *applied(*tpetra_amg(*a))), 1e-14);
  const amg::Options options{.smoother = amg::SmootherKind::l1_jacobi, .smoother_degree = 3};
  EXPECT_THAT(tpetra_amg(*a, options)->op().explain(), HasSubstr("l1"));
}

TEST(TpetraAmg, WrongInputIsRefusedOnAllRanks) {
  const Beam beam;
  const auto a = beam.assembled(beam.map());
  const auto message = [&](const auto& act) { return message_of<Error>(act); };

  const bool is_last = world().rank() == world().size() - 1;
  const std::size_t nodes = beam.map()->getLocalNumElements() - (is_last ? 1 : 0);
  const auto fewer =
      Teuchos::rcp(new MeshMap(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), nodes, 0, all_ranks()));
  EXPECT_THAT(message([&] { tpetra_amg(*a, Vectors(fewer, 3)); }), HasSubstr("tpetra_amg: coordinates of"));
  EXPECT_THAT(message([&] { tpetra_amg(*a, Vectors(beam.map(), 4)); }), HasSubstr("rigid-body modes"));
  const Beam diffusion(1);
  const auto scalars = diffusion.assembled(diffusion.map());
  EXPECT_THAT(message([&] { tpetra_amg(*scalars, *beam.coordinates(beam.map())); }),
              HasSubstr("rigid-body modes of 1"));

  Tpetra::CrsMatrix<> being_filled(beam.map(), 3);
  EXPECT_THAT(message([&] { tpetra_amg(being_filled); }), HasSubstr("tpetra_amg: a CrsMatrix that is being filled"));
  const System system{40, 2};
  const auto rectangular = system.assembled(system.contiguous_map(), system.dealt_map());
  EXPECT_THAT(message([&] { tpetra_amg(*rectangular); }), HasSubstr("domain and range map differ"));

  const auto m = tpetra_amg(*a, *beam.coordinates(beam.map()));
  EXPECT_THAT(message([&] { m->update_values(*scalars); }), HasSubstr("new values"));
  Vectors short_r(fewer, 1), short_z(fewer, 1);
  EXPECT_THROW(m->apply(short_r, short_z), ShapeError);
}

}  // namespace
}  // namespace ashlar::testing
