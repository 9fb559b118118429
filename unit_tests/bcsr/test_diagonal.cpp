#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <vector>

#include "bcsr/matrices.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DiagonalBlockIndex, FirstLastMissingAndEmptyRows) {
  // Row 0 holds it first, row 1 last, row 2 not, row 3 has nothing, row 4 holds it in the middle.
  const auto graph = graph_of<BcsrGraph<>>(6, {0, 2, 4, 6, 6, 9}, {0, 3, 0, 1, 1, 4, 2, 4, 5});
  EXPECT_THAT(to_host(diagonal_block_index(Device(), graph)), ElementsAre(0, 3, -1, -1, 7));
}

TEST(DiagonalBlockIndex, RowsBeyondTheColumnsHaveNone) {
  using Graph = BcsrGraph<std::int64_t, std::int64_t>;
  const auto index = diagonal_block_index(Device(), graph_of<Graph>(2, {0, 1, 2, 4}, {0, 1, 0, 1}));
  static_assert(std::is_same_v<decltype(index)::non_const_value_type, std::int64_t>);
  EXPECT_THAT(to_host(index), ElementsAre(0, 1, -1));
}

TEST(DiagonalBlockIndex, NoRows) {
  EXPECT_EQ(diagonal_block_index(Device(), BcsrGraph<>()).extent(0), 0u);
  EXPECT_EQ(diagonal_block_index(Device(), graph_of<BcsrGraph<>>(3, {0}, {})).extent(0), 0u);
}

TEST(DiagonalBlockIndex, EveryRowOfALargeMatrix) {
  using Matrix = BcsrMatrix<double>;
  const auto host = reference::random_bcsr<Matrix>(1000, 400, 1, {.min_blocks = 0, .max_blocks = 300, .full_row = 77});
  const auto index = to_host(diagonal_block_index(Device(), copy_to<DeviceSpace>(Device(), host)));
  ASSERT_EQ(index.size(), 1000u);
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    int expected = -1;
    for (int k = host.graph().row_ptr()(i); k < host.graph().row_ptr()(i + 1); ++k) {
      if (host.graph().col_idx()(k) == i) expected = k;
    }
    ASSERT_EQ(index[i], expected) << "row " << i;
    found += expected >= 0;
  }
  EXPECT_GT(found, 50);
}

TEST(DiagonalBlocks, AreThoseOfTheMatrixAlone) {
  using Matrix = BcsrMatrix<double>;
  const auto host = reference::random_bcsr<Matrix>(300, 200, 3, {.min_blocks = 0, .max_blocks = 150, .full_row = 77});
  const auto diagonal =
      copy_to<Kokkos::HostSpace>(Device(), diagonal_blocks(Device(), copy_to<DeviceSpace>(Device(), host)));
  Device().fence();
  ASSERT_EQ(diagonal.num_block_rows(), 300);
  ASSERT_EQ(diagonal.num_block_cols(), 200);
  int found = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<double> expected, block;
    for (int k = host.graph().row_ptr()(i); k < host.graph().row_ptr()(i + 1); ++k) {
      if (host.graph().col_idx()(k) != i) continue;
      for (int v = 0; v < 9; ++v) expected.push_back(host.values()(9 * k + v));
    }
    for (int k = diagonal.graph().row_ptr()(i); k < diagonal.graph().row_ptr()(i + 1); ++k) {
      EXPECT_EQ(diagonal.graph().col_idx()(k), i);
      for (int v = 0; v < 9; ++v) block.push_back(diagonal.values()(9 * k + v));
    }
    EXPECT_EQ(block, expected) << i;
    found += !expected.empty();
  }
  EXPECT_GT(found, 20);
  EXPECT_LT(found, 200);
}

TEST(DiagonalBlocks, OfRowsWhoseColumnsHaveOtherNumbers) {
  using Matrix = BcsrMatrix<double>;
  // Row 0's own column is 3, row 1's is 0, row 2 has none, row 3's is 1, which it does not store.
  const Matrix::values_view values("values", 6);
  const auto host = Kokkos::create_mirror_view(values);
  for (int k = 0; k < 6; ++k) host(k) = 10 + k;
  Kokkos::deep_copy(values, host);
  const Matrix rows(1, graph_of<Matrix::graph_type>(5, {0, 2, 4, 5, 6}, {0, 3, 0, 4, 2, 4}), values);
  const Kokkos::View<int*, DeviceSpace> own_column("own_column", 4);
  const auto columns = Kokkos::create_mirror_view(own_column);
  columns(0) = 3, columns(1) = 0, columns(2) = -1, columns(3) = 1;
  Kokkos::deep_copy(own_column, columns);
  const Matrix diagonal = diagonal_blocks(Device(), rows, own_column);
  Device().fence();
  EXPECT_EQ(diagonal.num_block_cols(), 4);
  EXPECT_THAT(to_host(diagonal.graph().row_ptr()), ElementsAre(0, 1, 2, 2, 2));
  EXPECT_THAT(to_host(diagonal.graph().col_idx()), ElementsAre(0, 1));
  EXPECT_THAT(to_host(diagonal.values()), ElementsAre(11, 12));
  EXPECT_THROW(diagonal_blocks(Device(), rows, Kokkos::View<int*, DeviceSpace>("too few", 3)), ShapeError);
}

TEST(DiagonalBlocks, ColumnsThatDoNotAscendAreNamed) {
  using Matrix = BcsrMatrix<double>;
  const Matrix wrapped(1, graph_of<Matrix::graph_type>(3, {0, 3, 4, 5}, {2, 1, 0, 1, 2}),
                       Matrix::values_view("values", 5));
  EXPECT_THAT(message_of<StructureError>([&] { diagonal_blocks(Device(), wrapped); }),
              HasSubstr("block column 1 after block column 2 in block row 0 (the columns of a row ascend)"));
}

}  // namespace
