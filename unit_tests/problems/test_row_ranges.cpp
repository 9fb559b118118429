// Block rows of a range are those rows of the whole.
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/grid27.hpp>
#include <ashlar/problems/stencil11.hpp>

#include "dense.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::problems;
using namespace ashlar::testing;

using Device = Kokkos::DefaultExecutionSpace;
using Matrix = BcsrMatrix<double>;

/// Whether `part` has the block rows begin to end of `whole`, to the bit.
void expect_rows(const Matrix& part, const Matrix& whole, std::int64_t begin, std::int64_t end) {
  const auto a = to_host_matrix(part), b = to_host_matrix(whole);
  ASSERT_EQ(a.num_block_rows(), end - begin);
  EXPECT_EQ(a.num_block_cols(), b.num_block_cols());
  EXPECT_EQ(a.block_size(), b.block_size());
  const std::int64_t first = b.graph().row_ptr()(begin), bb = std::int64_t(b.block_size()) * b.block_size();
  for (std::int64_t i = 0; i <= end - begin; ++i) {
    ASSERT_EQ(a.graph().row_ptr()(i), b.graph().row_ptr()(begin + i) - first);
  }
  for (std::int64_t k = 0; k < a.num_blocks(); ++k) {
    ASSERT_EQ(a.graph().col_idx()(k), b.graph().col_idx()(first + k));
    for (std::int64_t v = 0; v < bb; ++v) ASSERT_EQ(a.values()(k * bb + v), b.values()((first + k) * bb + v));
  }
}

/// All ways to cut 24 rows that have corners: none, one, all, and some in the middle.
constexpr RowRange ranges[] = {{0, 0}, {24, 24}, {7, 7}, {0, 1}, {23, 24}, {0, 24}, {5, 17}, {6, 12}};

TEST(RowRanges, OfStencils) {
  const auto stencil = stencil11<Matrix>(Device(), 4, 2, 3, 2);
  const auto grid = grid27<Matrix>(Device(), 4, 2, 3, 3);
  for (const RowRange& rows : ranges) {
    expect_rows(stencil11<Matrix>(Device(), 4, 2, 3, 2, rows), stencil, rows.begin, rows.end);
    expect_rows(grid27<Matrix>(Device(), 4, 2, 3, 3, rows), grid, rows.begin, rows.end);
  }
}

TEST(RowRanges, OfTheCantilever) {
  for (const int dof : {1, 3, 6}) {
    const Cantilever beam{.nodes = {4, 2, 3}, .dof = dof, .weight = 2, .traction = {0.5, 0, -1}};
    const auto matrix = cantilever_matrix<Matrix>(Device(), beam);
    const auto load = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cantilever_load<double>(Device(), beam));
    for (const RowRange& rows : ranges) {
      expect_rows(cantilever_matrix<Matrix>(Device(), beam, rows), matrix, rows.begin, rows.end);
      const auto part =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cantilever_load<double>(Device(), beam, rows));
      ASSERT_EQ(std::int64_t(part.extent(0)), rows.size() * dof);
      for (std::int64_t i = 0; i < rows.size() * dof; ++i) ASSERT_EQ(part(i), load(rows.begin * dof + i));
    }
  }
}

TEST(RowRanges, RefuseRowsThatAreNotThere) {
  const Cantilever beam{.nodes = {4, 2, 3}};
  for (const RowRange& rows : {RowRange{-1, 3}, RowRange{3, 2}, RowRange{0, 25}, RowRange{25, 25}}) {
    EXPECT_THROW(cantilever_matrix<Matrix>(Device(), beam, rows), ArgumentError);
    EXPECT_THROW(cantilever_load<double>(Device(), beam, rows), ArgumentError);
    EXPECT_THROW(stencil11<Matrix>(Device(), 4, 2, 3, 1, rows), ArgumentError);
    EXPECT_THROW(grid27<Matrix>(Device(), 4, 2, 3, 1, rows), ArgumentError);
  }
}

// The blocks of the whole are more than the offsets count; those of a part are not.
TEST(RowRanges, MayBeOfMatricesThatNoRankHolds) {
  EXPECT_THROW(grid27<Matrix>(Device(), 500, 500, 500, 1), ShapeError);
  const auto part = grid27<Matrix>(Device(), 500, 500, 500, 1, RowRange{60000000, 60000100});
  EXPECT_EQ(part.num_block_rows(), 100);
  EXPECT_EQ(part.num_block_cols(), 125000000);
}

}  // namespace
