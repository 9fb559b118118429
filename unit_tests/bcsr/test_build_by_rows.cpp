#include <gtest/gtest.h>

#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/validate.hpp>

#include "bcsr/matrices.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;

// Row i holds blocks at columns i, i + 2, ... below num_cols, but none where i is a multiple of 4; an entry says where
// it is, and the diagonal of each block is left as it comes.
struct Count {
  int num_cols;
  KOKKOS_FUNCTION int operator()(int i) const { return i % 4 == 0 || i >= num_cols ? 0 : (num_cols - i + 1) / 2; }
};
struct Fill {
  template <class Row>
  KOKKOS_FUNCTION void operator()(int i, const Row& row) const {
    for (int k = 0; k < row.num_blocks(); ++k) {
      row.column(k) = i + 2 * k;
      for (int r = 0; r < row.block_size(); ++r) {
        for (int c = 0; c < row.block_size(); ++c) {
          if (r != c) row.value(k, r, c) = static_cast<float>(1000 * i + 100 * k + 10 * r + c);
        }
      }
    }
  }
};

template <class Matrix>
class BuildByRows : public ::testing::Test {};
TYPED_TEST_SUITE(BuildByRows, MatrixTypes);

TYPED_TEST(BuildByRows, EntriesAreWhereTheFillPutsThem) {
  using Scalar = typename TypeParam::scalar_type;
  constexpr int rows = 70, cols = 9, b = 3;
  const Device exec;
  const auto matrix = build_by_rows<TypeParam>(exec, b, rows, cols, Count{cols}, Fill{});
  ASSERT_EQ(matrix.num_rows(), rows * b);
  ASSERT_EQ(matrix.num_cols(), cols * b);
  EXPECT_NO_THROW(validate(exec, matrix));

  std::vector<Scalar> expected(rows * b * cols * b, Scalar(0));
  std::int64_t blocks = 0;
  for (int i = 0; i < cols; ++i) {
    if (i % 4 == 0) continue;
    for (int j = i, k = 0; j < cols; j += 2, ++k) {
      ++blocks;
      for (int r = 0; r < b; ++r) {
        for (int c = 0; c < b; ++c) {
          if (r != c) expected[(i * b + r) * cols * b + j * b + c] = Scalar(1000 * i + 100 * k + 10 * r + c);
        }
      }
    }
  }
  EXPECT_EQ(matrix.num_blocks(), blocks);
  EXPECT_EQ(dense(matrix), expected);
}

TYPED_TEST(BuildByRows, NoRows) {
  const auto matrix = build_by_rows<TypeParam>(Device(), 2, 0, 5, Count{5}, Fill{});
  EXPECT_EQ(matrix.num_block_rows(), 0);
  EXPECT_EQ(matrix.num_block_cols(), 5);
  EXPECT_EQ(matrix.num_blocks(), 0);
}

struct TooMany {
  KOKKOS_FUNCTION std::int64_t operator()(int) const { return std::int64_t(1) << 30; }
};

TEST(BuildByRowsLimits, MoreBlocksThanTheOffsetsCountAreRefused) {
  const auto build = [] { build_by_rows<BcsrMatrix<double>>(Device(), 1, 3, 3, TooMany{}, Fill{}); };
  const std::string message = message_of<ShapeError>(build);
  EXPECT_NE(message.find("3221225472 blocks"), std::string::npos) << message;
  EXPECT_NE(message.find("2147483647"), std::string::npos) << message;
}

struct Minus {
  KOKKOS_FUNCTION int operator()(int) const { return -1; }
};

TEST(BuildByRowsArguments, AreCheckedBeforeAnythingRuns) {
  using Matrix = BcsrMatrix<double>;
  const Device exec;
  EXPECT_THROW(build_by_rows<Matrix>(exec, 0, 4, 4, Count{4}, Fill{}), BlockSizeError);
  EXPECT_THROW(build_by_rows<Matrix>(exec, 2, -1, 4, Count{4}, Fill{}), ShapeError);
  EXPECT_THROW(build_by_rows<Matrix>(exec, 2, 4, -5, Count{4}, Fill{}), ShapeError);
  EXPECT_THROW(build_by_rows<Matrix>(exec, 2, 4, 4, Minus{}, Fill{}), ShapeError);
}

}  // namespace
