// Tpetra matrices as distributed matrices of ours: any maps, new values, wrong input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/distributed/products.hpp>
#include <ashlar/interop/tpetra.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "support/message.hpp"
#include "support/mpi_world.hpp"
#include "system.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Distributed = DistributedMatrix<BcsrMatrix<double, BlockRowMajor, LO, std::size_t>>;

/// factor * A x has the entries of the system, for x of `domain` and y of `range`, maps of nodes.
void expect_product(const Distributed& a, const System& system, const MeshMap& domain, const MeshMap& range,
                    double factor = 1) {
  const Exec exec;
  const int b = system.block_size;
  const Kokkos::View<double*> x("x", domain.getLocalNumElements() * b), y("y", range.getLocalNumElements() * b);
  ASSERT_EQ(std::size_t(a.num_block_rows()), range.getLocalNumElements());
  ASSERT_EQ(std::size_t(a.num_block_cols()), domain.getLocalNumElements());
  for (int i = 0; i < int(x.extent(0)); ++i) x(i) = System::x(domain.getGlobalElement(i / b) * b + i % b, 0);
  ProductWorkspace workspace(exec, a);
  multiply(exec, a, workspace, x, y);
  exec.fence();
  for (int i = 0; i < int(y.extent(0)); ++i) {
    const double expected = factor * system.product(range.getGlobalElement(i / b) * b + i % b, 0);
    ASSERT_NEAR(y(i), expected, 1e-11) << "row " << i << " on rank " << world().rank();
  }
}

TEST(DistributedFromTpetra, HasTheRowsOfAnyMaps) {
  for (const System& system : {System{23, 1}, System{30, 2}, System{17, 3}}) {
    for (const auto& rows : {system.contiguous_map(), system.dealt_map()}) {
      for (const auto& columns : {system.contiguous_map(), system.dealt_map()}) {
        const Distributed a = distributed_from_tpetra(*system.assembled(rows, columns));
        EXPECT_EQ(a.num_global_block_rows(), system.nodes);
        EXPECT_EQ(a.num_global_block_cols(), system.nodes);
        EXPECT_EQ(a.block_shape(), BlockShape(system.block_size));
        expect_product(a, system, *columns, *rows);
      }
    }
  }
}

TEST(DistributedFromTpetra, TakesColumnMapsInAnyOrder) {
  const System system{29, 2};
  const Rows rows = system.rows_of(world().rank(), world().size());
  const auto theirs = to_tpetra(all_ranks(), system.partition(world().size()), rows);  // columns ascend
  expect_product(distributed_from_tpetra(*theirs), system, *system.contiguous_map(), *system.contiguous_map());
}

TEST(DistributedFromTpetra, CrsMatricesHaveBlocksOfSizeOne) {
  const System system{21, 2};
  const auto map = system.dealt_map(2);
  const Distributed a = distributed_from_tpetra(*system.assembled_scalars(map));
  EXPECT_EQ(a.block_shape(), BlockShape(1));
  EXPECT_EQ(a.num_global_blocks(), std::int64_t(21 * system.neighbours(0).size() * 4));
  const Kokkos::View<double*> x("x", map->getLocalNumElements()), y("y", map->getLocalNumElements());
  for (int i = 0; i < int(x.extent(0)); ++i) x(i) = System::x(map->getGlobalElement(i), 0);
  ProductWorkspace workspace(Exec(), a);
  multiply(Exec(), a, workspace, x, y);
  Exec().fence();
  for (int i = 0; i < int(y.extent(0)); ++i) ASSERT_NEAR(y(i), system.product(map->getGlobalElement(i), 0), 1e-11);
}

TEST(DistributedFromTpetra, CopiesValuesAndTakesNewOnes) {
  const System system{19, 2};
  const auto map = system.dealt_map();
  const auto theirs = system.assembled(map);
  const Distributed a = distributed_from_tpetra(*theirs);
  Kokkos::parallel_for(
      "triple", Kokkos::RangePolicy<Exec>(0, theirs->getLocalMatrixDevice().values.extent(0)),
      KOKKOS_LAMBDA(int i) { theirs->getLocalMatrixDevice().values(i) *= 3; });
  Exec().fence();
  expect_product(a, system, *map, *map);
  const auto values = from_kokkos_kernels(theirs->getLocalMatrixDevice()).values();
  expect_product(a.with_values(Exec(), values), system, *map, *map, 3);
}

TEST(DistributedFromTpetra, WrongInputIsRefusedOnAllRanks) {
  const System system{12, 1};
  const auto map = system.contiguous_map();
  Tpetra::CrsMatrix<> being_filled(map, 3);
  EXPECT_THAT(message_of<ArgumentError>([&] { distributed_from_tpetra(being_filled); }),
              HasSubstr("distributed_from_tpetra: a CrsMatrix that is being filled"));
  if (world().size() == 1) return;
  // A part of each row's sum is on every rank.
  std::vector<GO> everything;
  for (GO i = 0; i < 12; ++i) everything.push_back(i);
  const auto rows = Teuchos::rcp(new MeshMap(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                             Teuchos::arrayViewFromVector(std::as_const(everything)), 0, all_ranks()));
  Tpetra::CrsMatrix<> sums(rows, 1);
  for (const GO i : everything) {
    const double one = 1;
    sums.insertGlobalValues(i, Teuchos::ArrayView<const GO>(&i, 1), Teuchos::ArrayView<const double>(&one, 1));
  }
  sums.fillComplete(map, map);
  EXPECT_THAT(message_of<ArgumentError>([&] { distributed_from_tpetra(sums); }),
              HasSubstr("rows are not those of its range map"));
}

}  // namespace
}  // namespace ashlar::testing
