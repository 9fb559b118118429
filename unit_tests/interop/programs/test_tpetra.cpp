#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Tpetra_Details_KokkosCounter.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/interop/tpetra.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/mpi_world.hpp"
#include "system.hpp"

namespace ashlar::testing {
namespace {

using Operator = Tpetra::Operator<>;

/// op has the entries of the system: for y := alpha*A*x + beta*y, of so many vectors.
void expect_product(const Operator& op, const System& system, std::size_t num_vectors, double alpha, double beta,
                    const std::string& what) {
  Vectors x(op.getDomainMap(), num_vectors), y(op.getRangeMap(), num_vectors);
  fill(x);
  const double before = beta == 0 ? std::numeric_limits<double>::quiet_NaN() : 3;
  y.putScalar(before);
  op.apply(x, y, Teuchos::NO_TRANS, alpha, beta);
  const auto view = y.getLocalViewHost(Tpetra::Access::ReadOnly);
  for (std::size_t j = 0; j < num_vectors; ++j) {
    for (std::size_t i = 0; i < view.extent(0); ++i) {
      const double sum = alpha * system.product(y.getMap()->getGlobalElement(LO(i)), j);
      ASSERT_NEAR(view(i, j), beta == 0 ? sum : sum + beta * before, 1e-11)
          << what << ": row " << i << " of vector " << j << " of " << num_vectors << ", alpha " << alpha << ", beta "
          << beta;
    }
  }
}

void expect_products(const Operator& op, const System& system, const std::string& what) {
  for (const std::size_t num_vectors : {1, 2, 5}) {
    for (const double alpha : {1., -0.5, 0.}) {
      for (const double beta : {0., 1., 2.}) expect_product(op, system, num_vectors, alpha, beta, what);
    }
  }
}

const std::vector<System> systems = {{23, 1}, {30, 2}, {17, 3}, {16, 4}};

TEST(Tpetra, BlockMatricesAreMultipliedWhereTheyLie) {
  for (const System& system : systems) {
    for (const auto& map : {system.contiguous_map(), system.dealt_map()}) {
      const auto a = system.assembled(map);
      expect_products(*a, system, "Tpetra's own");  // or the test itself is wrong
      const auto op = from_tpetra(*a);
      {
        const auto theirs = a->getLocalMatrixDevice();
        EXPECT_EQ(op.matrix().values().data(), theirs.values.data());
        EXPECT_EQ(op.matrix().graph().col_idx().data(), theirs.graph.entries.data());
        EXPECT_EQ(op.matrix().graph().row_ptr().data(), theirs.graph.row_map.data());
      }
      expect_products(*tpetra_operator(*a), system, text("blocks of ", system.block_size));
    }
  }
}

TEST(Tpetra, CrsMatricesAreMultipliedWhereTheyLie) {
  const System system{21, 2};
  const auto a = system.assembled_scalars(system.dealt_map(2));
  EXPECT_EQ(from_tpetra(*a).matrix().values().data(), a->getLocalMatrixDevice().values.data());
  expect_products(*tpetra_operator(*a), system, "single entries");
}

TEST(Tpetra, WhatIsWrittenLaterIsMultiplied) {
  const System system{19, 2};
  const auto a = system.assembled(system.contiguous_map());
  const auto op = tpetra_operator(*a);
  Vectors x(a->getDomainMap(), 1), y(a->getRangeMap(), 1);
  fill(x);
  Kokkos::parallel_for(
      "double", Kokkos::RangePolicy<Exec>(0, a->getLocalMatrixDevice().values.extent(0)),
      KOKKOS_LAMBDA(int i) { a->getLocalMatrixDevice().values(i) *= 2; });
  op->apply(x, y);
  const auto view = y.getLocalViewHost(Tpetra::Access::ReadOnly);
  for (std::size_t i = 0; i < view.extent(0); ++i) {
    ASSERT_NEAR(view(i, 0), 2 * system.product(y.getMap()->getGlobalElement(LO(i)), 0), 1e-11);
  }
}

TEST(Tpetra, WithoutAnImporterNothingIsGathered) {
  // Each rank's nodes are tied to each other alone.
  const auto comm = all_ranks();
  const auto map = Teuchos::rcp(new MeshMap(std::size_t(10) * comm->getSize(), 10, 0, comm));
  Tpetra::CrsGraph<> graph(map, 2);
  for (LO i = 0; i < 10; ++i) {
    const GO row = map->getGlobalElement(i);
    const std::vector<GO> columns = {row, map->getGlobalElement(9 - i)};
    graph.insertGlobalIndices(row, Teuchos::ArrayView<const GO>(columns.data(), 2));
  }
  graph.fillComplete();
  ASSERT_TRUE(graph.getImporter().is_null());
  BlockMatrix a(graph, 2);
  a.setAllToScalar(0.5);
  const auto op = tpetra_operator(a);
  Vectors x(a.getDomainMap(), 3), y(a.getRangeMap(), 3), expected(a.getRangeMap(), 3);
  fill(x);
  a.apply(x, expected);
  op->apply(x, y);
  y.update(-1, expected, 1);
  std::vector<double> norms(3);
  y.normInf(Teuchos::ArrayView<double>(norms.data(), 3));
  for (const double norm : norms) EXPECT_LT(norm, 1e-14);
  EXPECT_NE(from_tpetra(a).explain().find("in place"), std::string::npos);
}

TEST(Tpetra, OurMatricesAreTheirsInPlace) {
  for (const System& system : systems) {
    const Rows rows = system.rows_of(world().rank(), world().size());
    const auto a = to_tpetra(all_ranks(), system.partition(world().size()), rows);
    EXPECT_EQ(a->getLocalMatrixDevice().values.data(), rows.values().data());
    expect_products(*a, system, "ours as theirs");
    // And back, with a column map in another order than Tpetra makes.
    EXPECT_EQ(from_tpetra(*a).matrix().values().data(), rows.values().data());
    expect_products(*tpetra_operator(*a), system, "ours as theirs as ours");
  }
}

TEST(Tpetra, DistributedOperatorsAreTpetraOperators) {
  for (const System& system : systems) {
    const RowPartition partition = system.partition(world().size());
    const auto map = tpetra_map(all_ranks(), partition, system.block_size);
    const Rows rows = system.rows_of(world().rank(), world().size());
    const auto op = tpetra_operator(DistributedOperator<Rows>(Exec(), world(), partition, rows), map);
    expect_products(*op, system, "DistributedOperator");
    const Vectors x(map, 1);
    Vectors y(map, 1);
    EXPECT_THROW(op->apply(x, y, Teuchos::TRANS), ArgumentError);
  }
}

TEST(Tpetra, ColumnsThatLieApartAreMultipliedInPlace) {
  const System system{20, 3};
  const auto a = system.assembled(system.contiguous_map());
  const auto op = tpetra_operator(*a);
  Vectors x(a->getDomainMap(), 5), y(a->getRangeMap(), 5), expected(a->getRangeMap(), 5);
  fill(x);
  a->apply(x, expected);
  for (const std::vector<std::size_t>& columns : {std::vector<std::size_t>{1, 2}, std::vector<std::size_t>{4, 0, 2}}) {
    y.putScalar(7);
    const Teuchos::ArrayView<const std::size_t> list(columns.data(), int(columns.size()));
    op->apply(*x.subView(list), *y.subViewNonConst(list));
    const auto view = y.getLocalViewHost(Tpetra::Access::ReadOnly),
               want = expected.getLocalViewHost(Tpetra::Access::ReadOnly);
    for (std::size_t j = 0; j < 5; ++j) {
      const bool is_listed = std::find(columns.begin(), columns.end(), j) != columns.end();
      for (std::size_t i = 0; i < view.extent(0); ++i) ASSERT_NEAR(view(i, j), is_listed ? want(i, j) : 7, 1e-11);
    }
  }
}

/// Fences of a product that is not the first, as Tpetra counts them.
std::pair<std::size_t, std::size_t> fences_of(const Operator& op) {
  Vectors x(op.getDomainMap(), 2), y(op.getRangeMap(), 2);
  fill(x);
  op.apply(x, y);
  namespace counter = Tpetra::Details::FenceCounter;
  counter::start();
  counter::reset();
  op.apply(x, y);
  counter::stop();
  return {counter::get_count_global(Exec::name()), counter::get_count_instance(Exec::name())};
}

TEST(Tpetra, ProductsAddNoFence) {
  const System system{40, 2};
  const auto a = system.assembled(system.contiguous_map());
  const auto ours = fences_of(*tpetra_operator(*a, {.exchange = ExchangeMode::blocking}));
  EXPECT_EQ(ours.first, 0u);
  // The host waits for what is packed before it starts messages, and for nothing else; Tpetra waits twice.
  EXPECT_EQ(ours.second, world().size() == 1 ? 0u : 1u);
  const auto theirs = fences_of(*a);
  EXPECT_LE(ours.second, theirs.first + theirs.second);
}

TEST(Tpetra, WhatCannotBeIsSaidOnAllRanks) {
  const System system{12, 1};
  const auto map = system.contiguous_map();
  Tpetra::CrsMatrix<> being_filled(map, 3);
  EXPECT_THROW(from_tpetra(being_filled), ArgumentError);
  const Rows too_few = system.rows(0, 1);
  EXPECT_THROW(to_tpetra(all_ranks(), system.partition(world().size()), too_few), Error);
  EXPECT_THROW(to_tpetra(all_ranks(), system.partition(world().size() + 1), too_few), ArgumentError);
}

}  // namespace
}  // namespace ashlar::testing
