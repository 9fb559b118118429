#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/bcsr/transpose_index.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <tuple>

#include "bcsr/matrices.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;
using ::testing::ElementsAre;

TEST(TransposeIndex, ByHand) {
  // 3 x 5 blocks:  . 0 . 1 .
  //                . . . . .
  //                2 3 . . 4
  const auto index = transpose_index(Device(), graph_of<BcsrGraph<>>(5, {0, 2, 2, 5}, {1, 3, 0, 1, 4}));
  EXPECT_THAT(to_host(index.row_ptr), ElementsAre(0, 1, 3, 3, 4, 5));
  EXPECT_THAT(to_host(index.block_row), ElementsAre(2, 0, 2, 0, 2));
  EXPECT_THAT(to_host(index.block_offset), ElementsAre(2, 0, 3, 1, 4));
}

/// Of the blocks above the third and the fourth: those before and after are of other rows.
TEST(TransposeIndex, OfSomeRows) {
  const auto index = transpose_index(Device(), graph_of<BcsrGraph<>>(5, {2, 2, 4}, {1, 3, 0, 1, 4}));
  EXPECT_THAT(to_host(index.row_ptr), ElementsAre(0, 1, 2, 2, 2, 2));
  EXPECT_EQ(to_host(index.block_row)[0], 1);
  EXPECT_EQ(to_host(index.block_row)[1], 1);
  EXPECT_EQ(to_host(index.block_offset)[0], 2);
  EXPECT_EQ(to_host(index.block_offset)[1], 3);
}

/// The lists of the second to the fourth column of the example by hand.
TEST(TransposeIndex, OfSomeColumns) {
  const auto graph = graph_of<BcsrGraph<>>(5, {0, 2, 2, 5}, {1, 3, 0, 1, 4});
  const auto index = transpose_index(Device(), graph, 1, 3);
  EXPECT_THAT(to_host(index.row_ptr), ElementsAre(0, 2, 2, 3));
  const auto block_row = to_host(index.block_row);
  const auto block_offset = to_host(index.block_offset);
  for (const auto& [entry, row, offset] : {std::tuple(0, 0, 0), std::tuple(1, 2, 3), std::tuple(2, 0, 1)}) {
    EXPECT_EQ(block_row[entry], row);
    EXPECT_EQ(block_offset[entry], offset);
  }
}

TEST(TransposeIndex, Empty) {
  EXPECT_THAT(to_host(transpose_index(Device(), BcsrGraph<>()).row_ptr), ElementsAre(0));
  EXPECT_THAT(to_host(transpose_index(Device(), graph_of<BcsrGraph<>>(2, {0}, {})).row_ptr), ElementsAre(0, 0, 0));
  const auto index = transpose_index(Device(), graph_of<BcsrGraph<>>(0, {0, 0, 0}, {}));
  EXPECT_THAT(to_host(index.row_ptr), ElementsAre(0));
  EXPECT_EQ(index.block_offset.extent(0), 0u);
}

template <class Matrix>
class TransposeIndexOf : public ::testing::Test {};
TYPED_TEST_SUITE(TransposeIndexOf, MatrixTypes);

TYPED_TEST(TransposeIndexOf, GathersTheTransposedMatrix) {
  using S = typename TypeParam::scalar_type;
  using Layout = typename TypeParam::layout_type;
  for (const auto& [rows, cols] : {std::pair(37, 61), std::pair(61, 37), std::pair(1, 50), std::pair(50, 1)}) {
    SCOPED_TRACE(text(rows, " x ", cols));
    constexpr int b = 2;
    const auto A = reference::random_bcsr<TypeParam>(
        rows, cols, b, {.min_blocks = 0, .max_blocks = 9, .empty_every = 6, .full_row = rows / 2}, 17);
    const auto index = transpose_index(Device(), copy_to<DeviceSpace>(Device(), A).graph());
    const auto row_ptr = to_host(index.row_ptr);
    const auto block_row = to_host(index.block_row);
    const auto block_offset = to_host(index.block_offset);
    ASSERT_EQ(row_ptr.size(), std::size_t(cols) + 1);

    const auto a = reference::dense(A);
    std::vector<S> expected(a.size()), gathered(a.size(), S(0));
    for (int i = 0; i < rows * b; ++i) {
      for (int j = 0; j < cols * b; ++j) expected[j * rows * b + i] = a[i * cols * b + j];
    }
    for (int j = 0; j < cols; ++j) {
      for (auto e = row_ptr[j]; e < row_ptr[j + 1]; ++e) {
        for (int r = 0; r < b; ++r) {
          for (int c = 0; c < b; ++c) {
            gathered[(j * b + c) * rows * b + block_row[e] * b + r] =
                A.values()(std::int64_t(block_offset[e]) * b * b + Layout::at(r, c, b));
          }
        }
      }
    }
    EXPECT_EQ(gathered, expected);
  }
}

/// So much to drop that threads are at it together, however late one of them begins: each has some 20 ms to do.
TEST(TransposeIndex, AscendsInVeryLongColumns) {
  constexpr std::int64_t rows = 4'000'000;
  Kokkos::View<std::int32_t*, DeviceSpace> row_ptr("test::row_ptr", rows + 1), columns("test::columns", rows);
  const auto row_ptr_on_host = Kokkos::create_mirror_view(row_ptr),
             columns_on_host = Kokkos::create_mirror_view(columns);
  for (std::int32_t i = 0; i <= rows; ++i) row_ptr_on_host(i) = i;
  for (std::int32_t i = 0; i < rows; ++i) columns_on_host(i) = i % 2;
  Kokkos::deep_copy(row_ptr, row_ptr_on_host);
  Kokkos::deep_copy(columns, columns_on_host);
  const auto index = transpose_index(Device(), BcsrGraph<>(2, row_ptr, columns));
  const auto offsets = to_host(index.block_offset);
  ASSERT_EQ(offsets.size(), std::size_t(rows));
  std::int64_t out_of_place = 0;
  for (std::int64_t e = 0; e < rows; ++e) out_of_place += offsets[e] != (e < rows / 2 ? 2 * e : 2 * (e - rows / 2) + 1);
  EXPECT_EQ(out_of_place, 0);
}

TEST(TransposeIndex, AscendsInLongColumnsEachTime) {
  // Columns of about 5000 blocks, of which threads drop blocks in turns; row by row makes the list expected.
  using Matrix = BcsrMatrix<double>;
  const auto A = reference::random_bcsr<Matrix>(20000, 16, 1, {.min_blocks = 0, .max_blocks = 8, .full_row = 19999});
  std::vector<std::vector<int>> rows_of(16), offsets_of(16);
  for (int i = 0; i < 20000; ++i) {
    for (int k = A.graph().row_ptr()(i); k < A.graph().row_ptr()(i + 1); ++k) {
      rows_of[A.graph().col_idx()(k)].push_back(i);
      offsets_of[A.graph().col_idx()(k)].push_back(k);
    }
  }
  std::vector<int> rows, offsets;
  for (int j = 0; j < 16; ++j) {
    rows.insert(rows.end(), rows_of[j].begin(), rows_of[j].end());
    offsets.insert(offsets.end(), offsets_of[j].begin(), offsets_of[j].end());
  }
  const auto graph = copy_to<DeviceSpace>(Device(), A).graph();
  for (int repetition = 0; repetition < 5; ++repetition) {
    const auto index = transpose_index(Device(), graph);
    ASSERT_EQ(to_host(index.block_offset), offsets);
    ASSERT_EQ(to_host(index.block_row), rows);
  }
}

}  // namespace
