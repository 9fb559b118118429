#include <gtest/gtest.h>

#include <BelosLinearProblem.hpp>
#include <BelosSolverFactory_Tpetra.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Kokkos_Core.hpp>
#include <Tpetra_Vector.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/interop/tpetra.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/mpi_world.hpp"
#include "system.hpp"

namespace ashlar::testing {
namespace {

using Operator = Tpetra::Operator<>;

/// The iterations that Belos takes to 1e-10, with right-hand sides A times System::x; 0 where it does not converge, or
/// not to those.
int iterations_of_belos(const std::string& solver, const Teuchos::RCP<const Operator>& op, const System& system,
                        std::size_t num_vectors) {
  const auto map = op->getDomainMap();
  const auto x = Teuchos::rcp(new Vectors(map, num_vectors)), b = Teuchos::rcp(new Vectors(map, num_vectors));
  {
    const auto view = b->getLocalViewHost(Tpetra::Access::OverwriteAll);
    for (std::size_t j = 0; j < num_vectors; ++j) {
      for (std::size_t i = 0; i < view.extent(0); ++i) view(i, j) = system.product(map->getGlobalElement(LO(i)), j);
    }
  }
  const auto problem = Teuchos::rcp(new Belos::LinearProblem<double, Vectors, Operator>(op, x, b));
  if (!problem->setProblem()) return 0;
  const auto list = Teuchos::parameterList();
  list->set("Convergence Tolerance", 1e-10);
  list->set("Maximum Iterations", 500);
  if (solver == "BLOCK CG") list->set("Block Size", static_cast<int>(num_vectors));
  Belos::SolverFactory<double, Vectors, Operator> factory;
  const auto manager = factory.create(solver, list);
  manager->setProblem(problem);
  if (manager->solve() != Belos::Converged) return 0;
  Vectors exact(map, num_vectors);
  fill(exact);
  exact.update(1, *x, -1);
  std::vector<double> norms(num_vectors);
  exact.normInf(Teuchos::ArrayView<double>(norms.data(), int(num_vectors)));
  for (const double norm : norms) {
    if (!(norm < 1e-7)) return 0;
  }
  return manager->getNumIters();
}

TEST(Belos, TakesAsManyIterationsThroughUs) {
  for (const System& system : {System{200, 1}, System{120, 3}}) {
    const auto a = system.assembled(system.contiguous_map());
    const RowPartition partition = system.partition(world().size());
    const Rows rows = system.rows_of(world().rank(), world().size());
    const auto distributed = tpetra_operator(DistributedOperator<Rows>(Exec(), world(), partition, rows),
                                             tpetra_map(all_ranks(), partition, system.block_size));
    for (const std::string solver : {"BLOCK CG", "PSEUDOBLOCK CG", "TPETRA CG"}) {
      const std::size_t num_vectors = solver == "TPETRA CG" ? 1 : 3;
      const int theirs = iterations_of_belos(solver, a, system, num_vectors);
      EXPECT_GT(theirs, 3) << solver;
      EXPECT_EQ(iterations_of_belos(solver, tpetra_operator(*a), system, num_vectors), theirs) << solver;
      EXPECT_EQ(iterations_of_belos(solver, distributed, system, num_vectors), theirs) << solver << ", ours";
    }
  }
}

/// As Ifpack2's are: a Tpetra::Operator that applies an approximate inverse.
class Diagonal : public Operator {
 public:
  explicit Diagonal(const Teuchos::RCP<Vectors>& inverse) : inverse_(inverse) {}
  Teuchos::RCP<const MeshMap> getDomainMap() const override { return inverse_->getMap(); }
  Teuchos::RCP<const MeshMap> getRangeMap() const override { return inverse_->getMap(); }
  void apply(const Vectors& x, Vectors& y, Teuchos::ETransp, double alpha, double beta) const override {
    y.elementWiseMultiply(alpha, *inverse_->getVector(0), x, beta);
  }

 private:
  Teuchos::RCP<Vectors> inverse_;
};

TEST(TpetraLinearOperator, AshlarSolvesWithTheirOperatorsAndPreconditioners) {
  const System system{150, 2};
  const RowPartition partition = system.partition(world().size());
  const Exec exec;
  const DistributedOperator<Rows> ours(exec, world(), partition, system.rows_of(world().rank(), world().size()));
  const JacobiPreconditioner<Rows> jacobi(exec, ours.own_matrix());

  const auto a = system.assembled(system.contiguous_map());
  const auto map = a->getDomainMap();
  const auto inverse = Teuchos::rcp(new Vectors(map, 1));
  {
    const auto view = inverse->getLocalViewHost(Tpetra::Access::OverwriteAll);
    for (std::size_t i = 0; i < view.extent(0); ++i) {
      const int unknown = static_cast<int>(map->getGlobalElement(LO(i)));
      view(i, 0) = 1 / system.entry(unknown / 2, unknown / 2, unknown % 2, unknown % 2);
    }
  }
  const TpetraLinearOperator theirs(a);
  const TpetraLinearOperator diagonal(Teuchos::rcp(new Diagonal(inverse)));
  EXPECT_EQ(theirs.space().num_global(), 300);

  const std::int64_t mine = theirs.space().num_local();
  const Kokkos::View<double*> b("b", mine);
  for (std::int64_t i = 0; i < mine; ++i) b(i) = system.product(map->getGlobalElement(LO(i)), 0);
  const CgOptions options{.rtol = 1e-11};
  const auto solve = [&](const auto& op, const auto& m) {
    const Kokkos::View<double*> x("x", mine);
    const SolveReport report = cg(exec, op, m, b, x, options);
    EXPECT_EQ(report.status, SolveStatus::converged);
    for (std::int64_t i = 0; i < mine; ++i) EXPECT_NEAR(x(i), System::x(map->getGlobalElement(LO(i)), 0), 1e-8);
    return report.iterations;
  };
  const int expected = solve(ours, jacobi);
  EXPECT_GT(expected, 3);
  EXPECT_EQ(solve(theirs, jacobi), expected);
  EXPECT_EQ(solve(theirs, diagonal), expected);
  EXPECT_EQ(solve(ours, diagonal), expected);
  EXPECT_EQ(solve(from_tpetra(*a), diagonal), expected);
  EXPECT_NE(solve(ours, IdentityPreconditioner()), 0);
}

/// The iterations of CG with block-Jacobi on this one rank, and all of x.
std::pair<int, std::vector<double>> solved_on_one_rank(const System& system, const CgOptions& options) {
  const Exec exec;
  const Rows a = system.rows(0, system.nodes);
  const std::int64_t n = a.num_rows();
  const Kokkos::View<double*> b("b", n), x("x", n);
  for (std::int64_t i = 0; i < n; ++i) b(i) = system.product(i, 0);
  const SolveReport report =
      cg(exec, BcsrOperator<Rows>(exec, a), BlockJacobiPreconditioner<Rows>(exec, a), b, x, options);
  EXPECT_EQ(report.status, SolveStatus::converged);
  return {report.iterations, std::vector<double>(x.data(), x.data() + n)};
}

/// The solver takes as many iterations as on one rank, and finds that x.
void expect_solved_as_on_one_rank(const BlockMatrix& a, const System& system) {
  const CgOptions options{.rtol = 1e-11};
  const auto [iterations, expected] = solved_on_one_rank(system, options);
  const Exec exec;
  const auto map = a.getDomainMap();
  const auto n = static_cast<std::int64_t>(map->getLocalNumElements());
  const Kokkos::View<double*> b("b", n), x("x", n);
  for (std::int64_t i = 0; i < n; ++i) b(i) = system.product(map->getGlobalElement(LO(i)), 0);

  const auto op = ashlar::from_tpetra(a);
  const ashlar::BlockJacobiPreconditioner block_jacobi(exec, ashlar::diagonal_blocks(exec, op));
  const ashlar::SolveReport report = ashlar::cg(exec, op, block_jacobi, b, x, options);

  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_NEAR(report.iterations, iterations, 1);  // (sums are added up in another order)
  for (std::int64_t i = 0; i < n; ++i) {
    EXPECT_NEAR(x(i), expected[std::size_t(map->getGlobalElement(LO(i)))], 1e-9) << "row " << i;
  }
}

TEST(BlockJacobi, OfTpetrasRowsIsTheSameOnAnyNumberOfRanks) {
  for (const System& system : {System{150, 1}, System{120, 3}}) {
    expect_solved_as_on_one_rank(*system.assembled(system.contiguous_map()), system);
    expect_solved_as_on_one_rank(*system.assembled(system.dealt_map()), system);
    // Columns in ascending order of their global indices: own ones are among the others.
    const Rows rows = system.rows_of(world().rank(), world().size());
    expect_solved_as_on_one_rank(*to_tpetra(all_ranks(), system.partition(world().size()), rows), system);
  }
}

TEST(TpetraLinearOperator, MultiplyIntoVectorsWhereTheyLie) {
  const System system{30, 2};
  const auto a = system.assembled(system.contiguous_map());
  const TpetraLinearOperator op(a);
  const auto mine = static_cast<std::size_t>(op.space().num_local());
  // Columns of a larger view, at its stride.
  const Kokkos::View<double**, Kokkos::LayoutLeft> x("x", mine + 3, 2), y("y", mine + 3, 2);
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t i = 0; i < mine; ++i) x(i, j) = System::x(a->getDomainMap()->getGlobalElement(LO(i)), j);
  }
  const auto own = std::make_pair(std::size_t(0), mine);
  for (int round = 0; round < 20; ++round) {
    Kokkos::deep_copy(y, 5);
    op.apply(Exec(), Kokkos::subview(x, own, Kokkos::ALL), Kokkos::subview(y, own, Kokkos::ALL));
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t i = 0; i < mine; ++i) {
        ASSERT_NEAR(y(i, j), system.product(a->getDomainMap()->getGlobalElement(LO(i)), j), 1e-11);
      }
      for (std::size_t i = mine; i < mine + 3; ++i) ASSERT_EQ(y(i, j), 5);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
