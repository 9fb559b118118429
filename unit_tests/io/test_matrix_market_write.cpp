#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/some_types.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

using io::MatrixMarketSymmetry;
using ::testing::HasSubstr;
using Scalars = SomeTypes<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;

template <class S>
S number(double re, double im = 0) {
  if constexpr (is_complex_v<S>) {
    return S(static_cast<real_t<S>>(re), static_cast<real_t<S>>(im));
  } else {
    return static_cast<S>(re);
  }
}

template <class S>
bool have_same_bits(const std::vector<S>& a, const std::vector<S>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(S)) == 0;
}

/// Finite numbers of all magnitudes, with every bit random; and the ends of the range.
template <class S>
std::vector<S> awkward_numbers(std::size_t count) {
  using Real = real_t<S>;
  using Limits = std::numeric_limits<Real>;
  std::vector<Real> parts = {Real(0),           -Real(0),         Real(0.1),     Real(1) / 3,
                             Limits::max(),     Limits::lowest(), Limits::min(), Limits::denorm_min(),
                             Limits::epsilon(), Real(1e22)};
  std::mt19937_64 random(7);
  while (parts.size() < 2 * count) {
    const auto bits = random();
    Real part;
    std::memcpy(&part, &bits, sizeof part);
    if (std::isfinite(part)) parts.push_back(part);
  }
  std::vector<S> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (is_complex_v<S>) {
      result[i] = S(parts[2 * i], parts[2 * i + 1]);
    } else {
      result[i] = parts[i];
    }
  }
  return result;
}

template <class S>
struct WriteMatrixMarket : ::testing::Test {
  TemporaryFolder folder;
  const std::string path = folder / "a.mtx";
};
TYPED_TEST_SUITE(WriteMatrixMarket, Scalars);

TYPED_TEST(WriteMatrixMarket, CooRoundTripsBitForBit) {
  CooMatrix<TypeParam> matrix;
  matrix.num_rows = 1234567;
  matrix.num_cols = 2147483647;
  matrix.values = awkward_numbers<TypeParam>(5000);
  std::mt19937 random(3);
  for (std::size_t k = 0; k < matrix.values.size(); ++k) {
    matrix.rows.push_back(static_cast<std::int32_t>(random() % 1234567));
    matrix.cols.push_back(static_cast<std::int32_t>(random() % 2147483647));
  }
  io::write_matrix_market(this->path, matrix);
  const auto header = io::read_matrix_market_header(this->path);
  EXPECT_EQ(header.rows, 1234567);
  EXPECT_EQ(header.columns, 2147483647);
  EXPECT_EQ(header.entries, 5000);

  // As read back in a matrix that any machine has the memory for.
  matrix.num_cols = 1000;
  for (auto& col : matrix.cols) col %= 1000;
  io::write_matrix_market(this->path, matrix);
  const auto copy = io::read_matrix_market<TypeParam>(this->path);
  EXPECT_EQ(copy.num_rows, matrix.num_rows);
  EXPECT_EQ(copy.num_cols, matrix.num_cols);
  EXPECT_EQ(copy.rows, matrix.rows);
  EXPECT_EQ(copy.cols, matrix.cols);
  EXPECT_TRUE(have_same_bits(copy.values, matrix.values));
}

TYPED_TEST(WriteMatrixMarket, VectorRoundTripsBitForBit) {
  const auto vector = awkward_numbers<TypeParam>(5000);
  io::write_matrix_market_vector(this->path, vector);
  EXPECT_TRUE(have_same_bits(io::read_matrix_market_vector<TypeParam>(this->path), vector));
  io::write_matrix_market_vector(this->path, std::vector<TypeParam>{});
  EXPECT_TRUE(io::read_matrix_market_vector<TypeParam>(this->path).empty());
}

TYPED_TEST(WriteMatrixMarket, CsrGeneral) {
  using S = TypeParam;
  CsrMatrix<S> matrix;
  matrix.num_rows = 3;
  matrix.num_cols = 4;
  matrix.row_ptr = {0, 2, 2, 3};
  matrix.col_idx = {0, 3, 1};
  matrix.values = {number<S>(0.1, 2), number<S>(-3), number<S>(1e30)};
  io::write_matrix_market(this->path, matrix);
  EXPECT_EQ(content_of(this->path),
            is_complex_v<S>
                ? "%%MatrixMarket matrix coordinate complex general\n3 4 3\n1 1 0.1 2\n1 4 -3 0\n3 2 1e+30 0\n"
                : "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 1 0.1\n1 4 -3\n3 2 1e+30\n");
  const auto copy = io::read_matrix_market<S>(this->path);
  EXPECT_EQ(copy.rows, (std::vector<std::int32_t>{0, 0, 2}));
  EXPECT_EQ(copy.cols, matrix.col_idx);
  EXPECT_TRUE(have_same_bits(copy.values, matrix.values));
}

/// [d a; m d], with the mirror image m.
template <class S>
CsrMatrix<S> two_by_two(const S& diagonal, const S& above, const S& below) {
  CsrMatrix<S> matrix;
  matrix.num_rows = matrix.num_cols = 2;
  matrix.row_ptr = {0, 2, 4};
  matrix.col_idx = {0, 1, 0, 1};
  matrix.values = {diagonal, above, below, diagonal};
  return matrix;
}

TYPED_TEST(WriteMatrixMarket, OneHalfOfASymmetricMatrix) {
  using S = TypeParam;
  const S a = number<S>(3, 4);
  io::write_matrix_market(this->path, two_by_two<S>(number<S>(1), a, a), MatrixMarketSymmetry::symmetric);
  EXPECT_EQ(io::read_matrix_market_header(this->path).symmetry, MatrixMarketSymmetry::symmetric);
  EXPECT_EQ(io::read_matrix_market_header(this->path).entries, 3);
  auto copy = io::read_matrix_market<S>(this->path);
  EXPECT_EQ(copy.rows, (std::vector<std::int32_t>{0, 1, 1, 0}));
  EXPECT_EQ(copy.cols, (std::vector<std::int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(copy.values, (std::vector<S>{number<S>(1), a, number<S>(1), a}));

  io::write_matrix_market(this->path, two_by_two<S>(S(0), a, -a), MatrixMarketSymmetry::skew_symmetric);
  EXPECT_EQ(io::read_matrix_market_header(this->path).entries, 1);
  copy = io::read_matrix_market<S>(this->path);
  EXPECT_EQ(copy.rows, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(copy.values, (std::vector<S>{-a, a}));

  const auto hermitian = two_by_two<S>(number<S>(1), a, conj(a));
  if constexpr (is_complex_v<S>) {
    io::write_matrix_market(this->path, hermitian, MatrixMarketSymmetry::hermitian);
    EXPECT_EQ(io::read_matrix_market_header(this->path).symmetry, MatrixMarketSymmetry::hermitian);
    copy = io::read_matrix_market<S>(this->path);
    EXPECT_EQ(copy.values, (std::vector<S>{number<S>(1), conj(a), number<S>(1), a}));
  } else {
    EXPECT_THROW(io::write_matrix_market(this->path, hermitian, MatrixMarketSymmetry::hermitian), ArgumentError);
  }
}

TYPED_TEST(WriteMatrixMarket, SymmetryOfACooMatrixInAnyOrder) {
  using S = TypeParam;
  const S a = number<S>(3, 4), b = number<S>(5), zero = S(0);
  CooMatrix<S> matrix;
  matrix.num_rows = matrix.num_cols = 3;
  // (0,1) twice, as its mirror image; (2,0) a zero whose mirror image is not there.
  matrix.rows = {2, 1, 0, 1, 0, 1, 2, 2};
  matrix.cols = {1, 2, 1, 0, 1, 0, 0, 2};
  matrix.values = {b, b, a, a, b, b, zero, b};
  io::write_matrix_market(this->path, matrix, MatrixMarketSymmetry::symmetric);
  const auto copy = io::read_matrix_market<S>(this->path);
  EXPECT_EQ(copy.rows, (std::vector<std::int32_t>{2, 1, 1, 2, 2, 1, 0, 0, 0}));
  EXPECT_EQ(copy.cols, (std::vector<std::int32_t>{1, 0, 0, 0, 2, 2, 1, 1, 2}));
  EXPECT_EQ(copy.values, (std::vector<S>{b, a, b, zero, b, b, a, b, zero}));
}

template <class Error, class Write>
void expect_no_file(const std::string& path, const std::vector<std::string>& texts, const Write& write) {
  try {
    write();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    for (const auto& text : texts) EXPECT_THAT(error.what(), HasSubstr(text));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TYPED_TEST(WriteMatrixMarket, MatricesWithoutTheSymmetryDeclared) {
  using S = TypeParam;
  const S one = number<S>(1), a = number<S>(3, 4), almost = number<S>(3.000001, 4);
  const auto expect = [&](const auto& matrix, MatrixMarketSymmetry symmetry, const std::vector<std::string>& texts) {
    expect_no_file<NumericalError>(this->path, texts, [&] { io::write_matrix_market(this->path, matrix, symmetry); });
  };
  expect(two_by_two<S>(one, a, almost), MatrixMarketSymmetry::symmetric, {"(1, 0)", "(0, 1)", "symmetric"});
  expect(two_by_two<S>(one, a, S(0)), MatrixMarketSymmetry::symmetric, {"(1, 0)"});
  expect(two_by_two<S>(one, a, -a), MatrixMarketSymmetry::skew_symmetric, {"(0, 0)", "diagonal is zero"});
  expect(two_by_two<S>(S(0), a, a), MatrixMarketSymmetry::skew_symmetric, {"(1, 0)"});
  if constexpr (is_complex_v<S>) {
    expect(two_by_two<S>(one, a, a), MatrixMarketSymmetry::hermitian, {"(1, 0)"});
    expect(two_by_two<S>(a, a, conj(a)), MatrixMarketSymmetry::hermitian, {"(0, 0)", "diagonal is real"});
  }
  CooMatrix<S> missing;
  missing.num_rows = missing.num_cols = 4;
  missing.rows = {1, 2};
  missing.cols = {3, 2};
  missing.values = {a, one};
  expect(missing, MatrixMarketSymmetry::symmetric, {"(3, 1)", "(1, 3)"});
}

TYPED_TEST(WriteMatrixMarket, MatricesThatAreNone) {
  using S = TypeParam;
  const auto write = [&](const auto& matrix, MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general) {
    return [&, symmetry] { io::write_matrix_market(this->path, matrix, symmetry); };
  };
  CooMatrix<S> coo;
  coo.num_rows = 2;
  coo.num_cols = 3;
  coo.rows = {0, 2};
  coo.cols = {0, 0};
  coo.values = {S(1), S(1)};
  expect_no_file<StructureError>(this->path, {"(2, 0)", "2 x 3"}, write(coo));
  coo.rows = {0, -1};
  expect_no_file<StructureError>(this->path, {"(-1, 0)"}, write(coo));
  coo.rows = {0, 1};
  expect_no_file<ShapeError>(this->path, {"square"}, write(coo, MatrixMarketSymmetry::symmetric));
  coo.values[1] = number<S>(std::numeric_limits<double>::quiet_NaN());
  expect_no_file<NumericalError>(this->path, {"(1, 0)", "nan"}, write(coo));
  coo.values[1] = number<S>(-std::numeric_limits<double>::infinity());
  expect_no_file<NumericalError>(this->path, {"(1, 0)", "inf"}, write(coo));
  coo.rows = {0};
  expect_no_file<ShapeError>(this->path, {"1 rows", "2 values"}, write(coo));

  auto csr = two_by_two<S>(S(1), S(1), S(1));
  csr.row_ptr = {0, 2};
  expect_no_file<ShapeError>(this->path, {"2 row pointers"}, write(csr));
  csr.row_ptr = {0, 5, 4};
  expect_no_file<ShapeError>(this->path, {"ascend"}, write(csr));
  csr.row_ptr = {0, 2, 5};
  expect_no_file<ShapeError>(this->path, {"ascend"}, write(csr));

  const std::vector<S> vector = {S(1), number<S>(std::numeric_limits<double>::quiet_NaN())};
  expect_no_file<NumericalError>(this->path, {"entry 1", "nan"},
                                 [&] { io::write_matrix_market_vector(this->path, vector); });
}

}  // namespace
}  // namespace ashlar::testing
