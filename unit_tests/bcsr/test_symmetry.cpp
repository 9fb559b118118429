#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/bcsr/block_coo.hpp>
#include <ashlar/bcsr/symmetry.hpp>
#include <limits>

#include "bcsr/matrices.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;
using ::testing::HasSubstr;

template <class S>
S conjugate(const S& a) {
  return ashlar::conj(a);
}

// A Hermitian list: some block pairs, and diagonal blocks that are Hermitian themselves. Its diagonal is 4.
template <class Matrix>
BlockCoo<typename Matrix::scalar_type, typename Matrix::ordinal_type> hermitian(int n, int b) {
  using S = typename Matrix::scalar_type;
  BlockCoo<S, typename Matrix::ordinal_type> coo;
  coo.num_block_rows = coo.num_block_cols = n;
  coo.block_size = b;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      if (j != i && (i * 5 + j * 3) % 4 != 0) continue;
      auto block = random_vector<S>(b * b, i * n + j);
      if (i == j) {
        for (int c = 0; c < b; ++c) {
          for (int r = 0; r < c; ++r) block[r + c * b] = conjugate(block[c + r * b]);
          block[c + c * b] = S(4);
        }
      }
      coo.rows.push_back(i);
      coo.cols.push_back(j);
      coo.values.insert(coo.values.end(), block.begin(), block.end());
      if (i == j) continue;
      coo.rows.push_back(j);
      coo.cols.push_back(i);
      for (int c = 0; c < b; ++c) {
        for (int r = 0; r < b; ++r) coo.values.push_back(conjugate(block[c + r * b]));
      }
    }
  }
  return coo;
}

template <class Coo>
auto& entry(Coo& coo, int block_row, int block_col, int r, int c) {
  for (std::size_t k = 0; k < coo.rows.size(); ++k) {
    if (coo.rows[k] == block_row && coo.cols[k] == block_col) {
      return coo.values[k * coo.block_size * coo.block_size + r + c * coo.block_size];
    }
  }
  throw std::logic_error("no such block");
}

template <class Matrix, class Coo>
HermitianDefect<typename Matrix::scalar_type> defect_of(const Coo& coo) {
  return hermitian_defect(Device(), bcsr_from_block_coo<Matrix>(Device(), coo));
}

template <class Matrix>
class Hermitian : public ::testing::Test {};
TYPED_TEST_SUITE(Hermitian, MatrixTypes);

TYPED_TEST(Hermitian, NoDefect) {
  for (const int b : {1, 2, 3, 5}) {
    const auto defect = defect_of<TypeParam>(hermitian<TypeParam>(40, b));
    EXPECT_EQ(defect.relative, 0.0);
    EXPECT_EQ(defect.row, -1);
    EXPECT_EQ(defect.column, -1);
  }
}

TYPED_TEST(Hermitian, TheWorstPairIsNamed) {
  using S = typename TypeParam::scalar_type;
  auto coo = hermitian<TypeParam>(40, 3);
  entry(coo, 4, 8, 0, 1) += S(0.125f);
  entry(coo, 12, 8, 2, 1) = conjugate(entry(coo, 8, 12, 1, 2)) + S(0.5f);
  const auto defect = defect_of<TypeParam>(coo);
  EXPECT_NEAR(defect.relative, 0.125, 1e-6);
  // The pair is told from its upper entry, which lies first.
  EXPECT_EQ(defect.row, 8 * 3 + 1);
  EXPECT_EQ(defect.column, 12 * 3 + 2);
  EXPECT_EQ(defect.a_ij, entry(coo, 8, 12, 1, 2));
  EXPECT_EQ(defect.a_ji, entry(coo, 12, 8, 2, 1));
}

TYPED_TEST(Hermitian, InsideADiagonalBlock) {
  using S = typename TypeParam::scalar_type;
  auto coo = hermitian<TypeParam>(40, 3);
  entry(coo, 17, 17, 2, 0) = S(2);
  entry(coo, 17, 17, 0, 2) = S(-2);
  const auto defect = defect_of<TypeParam>(coo);
  EXPECT_EQ(defect.relative, 1.0);
  EXPECT_EQ(std::min(defect.row, defect.column), 17 * 3);
  EXPECT_EQ(std::max(defect.row, defect.column), 17 * 3 + 2);
  EXPECT_EQ(defect.a_ij, S(defect.row > defect.column ? 2 : -2));
  EXPECT_EQ(defect.a_ji, -defect.a_ij);
}

TYPED_TEST(Hermitian, AMissingMirroredBlockIsZeros) {
  using S = typename TypeParam::scalar_type;
  for (const bool upper : {true, false}) {
    auto coo = hermitian<TypeParam>(20, 2);
    const int i = upper ? 3 : 9, j = upper ? 9 : 3;
    coo.rows.push_back(i);
    coo.cols.push_back(j);
    coo.values.insert(coo.values.end(), {S(0), S(0), S(1), S(0)});  // entry (0, 1)
    const auto defect = defect_of<TypeParam>(coo);
    EXPECT_EQ(defect.relative, 0.25);
    EXPECT_EQ(defect.row, i * 2);
    EXPECT_EQ(defect.column, j * 2 + 1);
    EXPECT_EQ(defect.a_ij, S(1));
    EXPECT_EQ(defect.a_ji, S(0));
  }
}

TYPED_TEST(Hermitian, NaNIsADefect) {
  using S = typename TypeParam::scalar_type;
  auto coo = hermitian<TypeParam>(20, 2);
  entry(coo, 8, 8, 1, 1) = S(std::numeric_limits<real_t<S>>::quiet_NaN());
  const auto defect = defect_of<TypeParam>(coo);
  EXPECT_EQ(defect.relative, std::numeric_limits<double>::infinity());
  EXPECT_EQ(defect.row, 17);
  EXPECT_EQ(defect.column, 17);
}

TEST(HermitianByHand, ComplexSymmetricIsNotHermitian) {
  using C = Kokkos::complex<double>;
  using Matrix = BcsrMatrix<C>;
  // [2 i; i 2] is symmetric, [2 i; -i 2] is Hermitian. Columns first.
  const C i(0, 1);
  const auto symmetric = hermitian_defect(Device(), matrix_of<Matrix>(2, 1, {0, 1}, {0}, {2, i, i, 2}));
  EXPECT_DOUBLE_EQ(symmetric.relative, 1.0);
  EXPECT_EQ(symmetric.row, 1);
  EXPECT_EQ(symmetric.column, 0);
  EXPECT_EQ(symmetric.a_ij, i);
  EXPECT_EQ(symmetric.a_ji, i);
  EXPECT_EQ(hermitian_defect(Device(), matrix_of<Matrix>(2, 1, {0, 1}, {0}, {2, -i, i, 2})).relative, 0.0);
  // A diagonal entry with an imaginary part has no mirror but itself.
  const auto diagonal = hermitian_defect(Device(), matrix_of<Matrix>(1, 1, {0, 1}, {0}, {C(3, 4)}));
  EXPECT_DOUBLE_EQ(diagonal.relative, 8.0 / 5.0);
}

TEST(HermitianByHand, HugeAndTinyEntriesNeitherOverflowNorVanish) {
  using C = Kokkos::complex<double>;
  for (const double scale : {1e300, 1e-300}) {
    const auto defect = hermitian_defect(
        Device(), matrix_of<BcsrMatrix<C>>(2, 1, {0, 1}, {0}, {4 * scale, scale, 2 * scale, 4 * scale}));
    EXPECT_DOUBLE_EQ(defect.relative, 0.25);
  }
}

TEST(HermitianByHand, ALargeEntryHidesNoOther) {
  const auto defect = hermitian_defect(
      Device(), matrix_of<BcsrMatrix<double>>(1, 3, {0, 1, 3, 5}, {0, 1, 2, 1, 2}, {1e12, 1, 0.9, -0.9, 1}));
  EXPECT_DOUBLE_EQ(defect.relative, 1.8);
  EXPECT_EQ(defect.row, 1);
  EXPECT_EQ(defect.column, 2);
  // Rounding of an entry that nearly vanishes is small beside the diagonal of its rows.
  const auto rounding = hermitian_defect(
      Device(), matrix_of<BcsrMatrix<double>>(1, 2, {0, 2, 4}, {0, 1, 0, 1}, {1e6, 1e-12, 3e-12, 1e6}));
  EXPECT_LT(rounding.relative, 1e-17);
}

TEST(HermitianByHand, TheFirstOfEquals) {
  const auto defect = hermitian_defect(
      Device(), matrix_of<BcsrMatrix<double>>(1, 4, {0, 1, 2, 3, 5}, {3, 2, 1, 0, 3}, {1, 2, 4, 2, 8}));
  EXPECT_EQ(defect.relative, 0.5);
  EXPECT_EQ(defect.row, 0);
  EXPECT_EQ(defect.column, 3);
}

TEST(HermitianByHand, ColumnsOutOfOrderAreNamedAsSuch) {
  const auto symmetric_but_unsorted =
      matrix_of<BcsrMatrix<double>>(1, 3, {0, 2, 4, 6}, {1, 0, 2, 0, 2, 1}, {-1, 2, -1, -1, 2, -1});
  EXPECT_THROW(hermitian_defect(Device(), symmetric_but_unsorted), StructureError);
}

TEST(HermitianByHand, NothingIsHermitian) {
  EXPECT_EQ(hermitian_defect(Device(), BcsrMatrix<double>()).relative, 0.0);
  EXPECT_EQ(hermitian_defect(Device(), matrix_of<BcsrMatrix<double>>(2, 2, {0, 0, 0}, {}, {})).relative, 0.0);
  EXPECT_EQ(hermitian_defect(Device(), matrix_of<BcsrMatrix<double>>(1, 1, {0, 1}, {0}, {0})).relative, 0.0);
}

TEST(HermitianByHand, ARectangleIsRefused) {
  const auto matrix = matrix_of<BcsrMatrix<double>>(2, 3, {0, 0, 0}, {}, {});
  EXPECT_THAT(message_of<ShapeError>([&] { hermitian_defect(Device(), matrix); }), HasSubstr("4 x 6"));
}

}  // namespace
