#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/bcsr/from_csr.hpp>
#include <ashlar/bcsr/to_csr.hpp>
#include <ashlar/bcsr/validate.hpp>

#include "bcsr/matrices.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Entries spread over a rectangle, about one in nine, with empty rows and one full row.
template <class S>
CsrMatrix<S> scattered(int rows, int cols) {
  CsrMatrix<S> csr{rows, cols, {0}, {}, {}};
  const auto values = random_vector<S>(std::size_t(rows) * cols, 11);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      if (i % 7 == 3 || (i != 5 && (i * 13 + j * 5 + i * j) % 9 != 0)) continue;
      csr.col_idx.push_back(j);
      csr.values.push_back(values[std::size_t(i) * cols + j]);
    }
    csr.row_ptr.push_back(static_cast<std::int64_t>(csr.values.size()));
  }
  return csr;
}

template <class S>
std::vector<S> dense(const CsrMatrix<S>& csr) {
  std::vector<S> entries(csr.num_rows * csr.num_cols, S(0));
  for (std::int64_t i = 0; i < csr.num_rows; ++i) {
    for (auto k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) {
      entries[i * csr.num_cols + csr.col_idx[k]] = csr.values[k];
    }
  }
  return entries;
}

template <class Matrix>
class FromCsr : public ::testing::Test {};
TYPED_TEST_SUITE(FromCsr, MatrixTypes);

TYPED_TEST(FromCsr, BlocksNeedNotBeSquare) {
  using S = typename TypeParam::scalar_type;
  const auto csr = scattered<S>(24, 30);
  for (const BlockShape shape : {BlockShape(2, 3), {4, 1}, {1, 5}, {3, 10}, {24, 30}}) {
    const auto matrix = bcsr_from_csr<TypeParam>(Device(), csr, shape);
    validate(Device(), matrix, {.finite_values = true});
    EXPECT_EQ(matrix.block_shape(), shape);
    EXPECT_EQ(matrix.num_block_rows(), 24 / shape.rows);
    EXPECT_EQ(matrix.num_block_cols(), 30 / shape.cols);
    EXPECT_EQ(ashlar::testing::dense(matrix), dense(csr)) << to_string(shape);
    const auto back = to_csr(Device(), matrix, {.drop_zeros = true});
    EXPECT_EQ(back.row_ptr, csr.row_ptr) << to_string(shape);
    EXPECT_EQ(back.col_idx, csr.col_idx) << to_string(shape);
    EXPECT_EQ(back.values, csr.values) << to_string(shape);
  }
  EXPECT_THAT(message_of<BlockSizeError>([&] {
                bcsr_from_csr<TypeParam>(Device(), csr, {5, 3});
              }),
              HasSubstr("5 x 3 (it does not divide a matrix of 24 x 30"));
  const auto rectangular = bcsr_from_csr<TypeParam>(Device(), csr, {2, 3});
  EXPECT_THAT(message_of<BlockSizeError>([&] { rectangular.block_size(); }), HasSubstr("square"));
}

TYPED_TEST(FromCsr, ABlockIsStoredWhereAnEntryIs) {
  using S = typename TypeParam::scalar_type;
  // 4 x 6, b = 2:  . . | 1 . | . .
  //                . . | . . | . 2
  //                3 . | . . | . .
  //                . 4 | . . | 5 6
  const CsrMatrix<S> csr{4, 6, {0, 1, 2, 3, 6}, {2, 5, 0, 1, 4, 5}, {S(1), S(2), S(3), S(4), S(5), S(6)}};
  const auto matrix = bcsr_from_csr<TypeParam>(Device(), csr, 2);
  EXPECT_EQ(matrix.num_block_rows(), 2);
  EXPECT_EQ(matrix.num_block_cols(), 3);
  EXPECT_THAT(to_host(matrix.graph().row_ptr()), ElementsAre(0, 2, 4));
  EXPECT_THAT(to_host(matrix.graph().col_idx()), ElementsAre(1, 2, 0, 2));
  EXPECT_EQ(ashlar::testing::dense(matrix), dense(csr));
}

TYPED_TEST(FromCsr, RoundTripWithEachBlockSize) {
  using S = typename TypeParam::scalar_type;
  const Device exec;
  const CsrMatrix<S> csr = scattered<S>(96, 64);
  for (const int b : {1, 2, 4, 8, 16, 32}) {
    SCOPED_TRACE(b);
    const auto matrix = bcsr_from_csr<TypeParam>(exec, csr, b);
    EXPECT_NO_THROW(validate(exec, matrix));
    EXPECT_EQ(matrix.block_size(), b);
    EXPECT_EQ(ashlar::testing::dense(matrix), dense(csr));

    const CsrMatrix<S> back = to_csr(exec, matrix, {.drop_zeros = true});
    EXPECT_EQ(back.num_rows, csr.num_rows);
    EXPECT_EQ(back.num_cols, csr.num_cols);
    EXPECT_EQ(back.row_ptr, csr.row_ptr);
    EXPECT_EQ(back.col_idx, csr.col_idx);
    EXPECT_EQ(back.values, csr.values);

    const CsrMatrix<S> whole = to_csr(exec, matrix);
    EXPECT_NO_THROW(validate(whole));
    EXPECT_EQ(whole.num_values(), matrix.num_values());
    EXPECT_EQ(dense(whole), dense(csr));
  }
}

TYPED_TEST(FromCsr, OneBlockHoldsAll) {
  using S = typename TypeParam::scalar_type;
  const CsrMatrix<S> csr = scattered<S>(41, 41);
  const auto matrix = bcsr_from_csr<TypeParam>(Device(), csr, 41);
  EXPECT_EQ(matrix.num_blocks(), 1);
  EXPECT_EQ(ashlar::testing::dense(matrix), dense(csr));
}

TEST(FromCsrZeros, StoredZerosMakeBlocksAndAreDroppedOnlyWhenAsked) {
  const CsrMatrix<double> csr{2, 4, {0, 1, 2}, {0, 3}, {0.0, 1.0}};
  const Device exec;
  const auto matrix = bcsr_from_csr<BcsrMatrix<double>>(exec, csr, 2);
  EXPECT_EQ(matrix.num_blocks(), 2);
  EXPECT_EQ(to_csr(exec, matrix).num_values(), 8);
  EXPECT_THAT(to_csr(exec, matrix, {.drop_zeros = true}).col_idx, ElementsAre(3));
}

TEST(FromCsrZeros, NaNIsNoZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto matrix = bcsr_from_csr<BcsrMatrix<double>>(Device(), CsrMatrix<double>{1, 1, {0, 1}, {0}, {nan}}, 1);
  EXPECT_EQ(to_csr(Device(), matrix, {.drop_zeros = true}).num_values(), 1);
}

TEST(FromCsrZeros, NothingAtAll) {
  const auto matrix = bcsr_from_csr<BcsrMatrix<double>>(Device(), CsrMatrix<double>{}, 3);
  EXPECT_EQ(matrix.num_rows(), 0);
  EXPECT_EQ(matrix.num_blocks(), 0);
  const auto csr = to_csr(Device(), matrix);
  EXPECT_THAT(csr.row_ptr, ElementsAre(0));
  EXPECT_NO_THROW(validate(to_csr(Device(), BcsrMatrix<double>())));
}

TEST(FromCsrErrors, ABlockSizeThatDoesNotDivide) {
  const auto convert = [](std::int64_t rows, std::int64_t cols, int b) {
    return [=] {
      CsrMatrix<double> csr{rows, cols, std::vector<std::int64_t>(rows + 1, 0), {}, {}};
      bcsr_from_csr<BcsrMatrix<double>>(Device(), csr, b);
    };
  };
  const std::string message = message_of<BlockSizeError>(convert(10, 12, 4));
  EXPECT_THAT(message, HasSubstr("block size 4"));
  EXPECT_THAT(message, HasSubstr("10 x 12"));
  EXPECT_THAT(message_of<BlockSizeError>(convert(12, 10, 3)), HasSubstr("12 x 10"));
  EXPECT_THAT(message_of<BlockSizeError>(convert(10, 10, 0)), HasSubstr("block size 0"));
  EXPECT_NO_THROW(convert(12, 20, 4)());
}

TEST(FromCsrErrors, AnInvalidCsrMatrixIsRefused) {
  const CsrMatrix<double> csr{2, 2, {0, 1, 2}, {0, 2}, {1, 1}};
  const auto convert = [&] { bcsr_from_csr<BcsrMatrix<double>>(Device(), csr, 2); };
  EXPECT_THAT(message_of<StructureError>(convert), HasSubstr("column 2 in row 1"));
}

}  // namespace
