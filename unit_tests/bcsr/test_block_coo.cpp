#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/bcsr/block_coo.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <limits>

#include "bcsr/matrices.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Matrix>
class FromBlockCoo : public ::testing::Test {};
TYPED_TEST_SUITE(FromBlockCoo, MatrixTypes);

TYPED_TEST(FromBlockCoo, BlocksAreColumnMajorWhateverTheMatrixIs) {
  using S = typename TypeParam::scalar_type;
  using Ordinal = typename TypeParam::ordinal_type;
  const BlockCoo<S, Ordinal> coo{2, 2, 2, {1, 0}, {0, 1}, {S(1), S(2), S(3), S(4), S(5), S(6), S(7), S(8)}};
  const auto matrix = bcsr_from_block_coo<TypeParam>(Device(), coo);
  EXPECT_THAT(dense(matrix), ElementsAre(S(0), S(0), S(5), S(7),  //
                                         S(0), S(0), S(6), S(8),  //
                                         S(1), S(3), S(0), S(0),  //
                                         S(2), S(4), S(0), S(0)));
}

TYPED_TEST(FromBlockCoo, ManyDuplicatesAgainstADenseSum) {
  using S = typename TypeParam::scalar_type;
  using Ordinal = typename TypeParam::ordinal_type;
  constexpr int rows = 40, cols = 23, b = 3, blocks = 1500;
  const auto values = random_vector<S>(blocks * b * b, 5);
  BlockCoo<S, Ordinal> coo{rows, cols, b, {}, {}, values};
  std::vector<S> expected(rows * b * cols * b, S(0));
  for (int k = 0; k < blocks; ++k) {
    // Every fifth row stays empty, and row 7 takes a third of all blocks.
    int row = k % 3 == 0 ? 7 : k * 7919 % rows;
    if (row % 5 == 0) ++row;
    const int col = k * 31 % cols;
    coo.rows.push_back(row);
    coo.cols.push_back(col);
    for (int r = 0; r < b; ++r) {
      for (int c = 0; c < b; ++c) {
        expected[(row * b + r) * cols * b + col * b + c] += values[k * b * b + r + c * b];
      }
    }
  }
  const Device exec;
  const auto matrix = bcsr_from_block_coo<TypeParam>(exec, coo);
  EXPECT_NO_THROW(validate(exec, matrix));
  EXPECT_LT(matrix.num_blocks(), blocks);
  EXPECT_EQ(dense(matrix), expected);  // to the bit: the order of the sums is the list's
}

TEST(FromBlockCooOrder, DuplicatesAreSummedInTheOrderOfTheList) {
  const double big = 4 / std::numeric_limits<double>::epsilon();
  const auto sum = [](std::vector<double> values) {
    const BlockCoo<double> coo{1, 1, 1, {0, 0, 0}, {0, 0, 0}, std::move(values)};
    return dense(bcsr_from_block_coo<BcsrMatrix<double>>(Device(), coo));
  };
  EXPECT_THAT(sum({big, 1, -big}), ElementsAre(0));
  EXPECT_THAT(sum({big, -big, 1}), ElementsAre(1));
}

TEST(FromBlockCooOrder, NoBlocks) {
  const auto matrix = bcsr_from_block_coo<BcsrMatrix<double>>(Device(), BlockCoo<double>{3, 2, 4, {}, {}, {}});
  EXPECT_EQ(matrix.num_rows(), 12);
  EXPECT_EQ(matrix.num_cols(), 8);
  EXPECT_EQ(matrix.num_blocks(), 0);
  EXPECT_EQ(to_host(matrix.graph().row_ptr()), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(bcsr_from_block_coo<BcsrMatrix<double>>(Device(), BlockCoo<double>{}).num_rows(), 0);
}

TEST(FromBlockCooErrors, NamesTheFirstBlockOutOfRange) {
  const auto at = [](int row, int col) {
    return message_of<StructureError>([=] {
      bcsr_from_block_coo<BcsrMatrix<double>>(Device(), BlockCoo<double>{3, 4, 1, {0, row}, {0, col}, {1, 1}});
    });
  };
  EXPECT_THAT(at(3, 0), HasSubstr("block 1 lies at (3, 0)"));
  EXPECT_THAT(at(-1, 0), HasSubstr("block 1 lies at (-1, 0)"));
  EXPECT_THAT(at(0, 4), HasSubstr("block 1 lies at (0, 4)"));
  EXPECT_THAT(at(0, -1), HasSubstr("3 x 4 blocks"));
}

TEST(FromBlockCooErrors, LengthsAndBlockSize) {
  const auto convert = [](const BlockCoo<double>& coo) {
    return [coo] { bcsr_from_block_coo<BcsrMatrix<double>>(Device(), coo); };
  };
  EXPECT_THAT(message_of<ShapeError>(convert({3, 4, 2, {0, 1}, {0}, {1, 2, 3, 4}})), HasSubstr("2 rows and 1 columns"));
  const std::string values = message_of<ShapeError>(convert({3, 4, 2, {0}, {0}, {1, 2, 3}}));
  EXPECT_THAT(values, HasSubstr("3 values"));
  EXPECT_THAT(values, HasSubstr("1 blocks of size 2 hold 4"));
  EXPECT_THAT(message_of<BlockSizeError>(convert({3, 4, 0, {}, {}, {}})), HasSubstr("block size 0"));
  EXPECT_THAT(message_of<ShapeError>(convert({-3, 4, 1, {}, {}, {}})), HasSubstr("-3 x 4"));
}

}  // namespace
