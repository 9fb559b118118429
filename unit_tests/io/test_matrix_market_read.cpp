#include <gtest/gtest.h>

#include <ashlar/base/scalar.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/some_types.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

using Scalars = SomeTypes<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;

template <class S>
struct ReadMatrixMarket : ::testing::Test {
  TemporaryFolder folder;

  CooMatrix<S> read(const std::string& content) const {
    return io::read_matrix_market<S>(folder.write("a.mtx", content));
  }
  std::vector<S> read_vector(const std::string& content) const {
    return io::read_matrix_market_vector<S>(folder.write("x.mtx", content));
  }
  /// A number of S; its imaginary part is dropped where S has none.
  static S number(double re, double im = 0) {
    if constexpr (is_complex_v<S>) {
      return S(static_cast<real_t<S>>(re), static_cast<real_t<S>>(im));
    } else {
      return static_cast<S>(re);
    }
  }
};
TYPED_TEST_SUITE(ReadMatrixMarket, Scalars);

template <class S>
void expect_matrix(const CooMatrix<S>& matrix, std::int64_t num_rows, std::int64_t num_cols,
                   const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& cols,
                   const std::vector<S>& values) {
  EXPECT_EQ(matrix.num_rows, num_rows);
  EXPECT_EQ(matrix.num_cols, num_cols);
  EXPECT_EQ(matrix.rows, rows);
  EXPECT_EQ(matrix.cols, cols);
  EXPECT_EQ(matrix.values, values);
}

TYPED_TEST(ReadMatrixMarket, CoordinateGeneral) {
  const auto n = [](double re) { return TestFixture::number(re); };
  expect_matrix<TypeParam>(
      this->read("%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 0.5\n2 3 -2\n1 3 4e2\n"), 2, 3, {0, 1, 0},
      {0, 2, 2}, {n(0.5), n(-2), n(400)});
  expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 2 -7\n2 1 12\n"), 2,
                           3, {0, 1}, {1, 0}, {n(-7), n(12)});
  expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 2\n2 1\n"), 2, 3,
                           {0, 1}, {1, 0}, {n(1), n(1)});
}

/// As large as they may be, if the type has them exactly.
TYPED_TEST(ReadMatrixMarket, IntegersThatTheTypeHolds) {
  const auto n = [](double re) { return TestFixture::number(re); };
  expect_matrix<TypeParam>(
      this->read("%%MatrixMarket matrix coordinate integer general\n1 3 3\n1 1 16777216\n1 2 -9223372036854775808\n"
                 "1 3 4611686018427387904\n"),
      1, 3, {0, 0, 0}, {0, 1, 2}, {n(0x1p24), n(-0x1p63), n(0x1p62)});
}

TYPED_TEST(ReadMatrixMarket, CoordinateSymmetric) {
  const auto n = [](double re) { return TestFixture::number(re); };
  for (const std::string field : {"real", "integer"}) {
    expect_matrix<TypeParam>(
        this->read("%%MatrixMarket matrix coordinate " + field + " symmetric\n3 3 3\n1 1 4\n3 1 -2\n3 2 5\n"), 3, 3,
        {0, 2, 2, 0, 1}, {0, 0, 1, 2, 2}, {n(4), n(-2), n(5), n(-2), n(5)});
  }
  expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n2 2\n"), 3, 3,
                           {2, 1, 0}, {0, 1, 2}, {n(1), n(1), n(1)});
}

TYPED_TEST(ReadMatrixMarket, CoordinateSkewSymmetric) {
  const auto n = [](double re) { return TestFixture::number(re); };
  for (const std::string field : {"real", "integer"}) {
    // A zero on the diagonal says nothing new, and is accepted.
    expect_matrix<TypeParam>(
        this->read("%%MatrixMarket matrix coordinate " + field + " skew-symmetric\n3 3 2\n3 1 -2\n2 2 0\n"), 3, 3,
        {2, 1, 0}, {0, 1, 2}, {n(-2), n(0), n(2)});
  }
}

TYPED_TEST(ReadMatrixMarket, ArrayGoesDownTheColumns) {
  const auto n = [](double re) { return TestFixture::number(re); };
  for (const std::string field : {"real", "integer"}) {
    expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix array " + field + " general\n2 3\n1\n2\n3\n4\n5\n0\n"),
                             2, 3, {0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 2, 2}, {n(1), n(2), n(3), n(4), n(5), n(0)});
    expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix array " + field + " symmetric\n2 2\n1\n2\n3\n"), 2, 2,
                             {0, 1, 1, 0}, {0, 0, 1, 1}, {n(1), n(2), n(3), n(2)});
    expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix array " + field + " skew-symmetric\n3 3\n1\n2\n3\n"), 3,
                             3, {1, 2, 2, 0, 0, 1}, {0, 0, 1, 1, 2, 2}, {n(1), n(2), n(3), n(-1), n(-2), n(-3)});
  }
}

TYPED_TEST(ReadMatrixMarket, ComplexFiles) {
  if constexpr (is_complex_v<TypeParam>) {
    const auto n = [](double re, double im) { return TestFixture::number(re, im); };
    expect_matrix<TypeParam>(
        this->read("%%MatrixMarket matrix coordinate complex general\n2 3 2\n1 1 0.5 -1\n2 3 -2 0\n"), 2, 3, {0, 1},
        {0, 2}, {n(0.5, -1), n(-2, 0)});
    expect_matrix<TypeParam>(
        this->read("%%MatrixMarket matrix coordinate complex symmetric\n2 2 2\n1 1 4 1\n2 1 -2 3\n"), 2, 2, {0, 1, 0},
        {0, 0, 1}, {n(4, 1), n(-2, 3), n(-2, 3)});
    expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 -2 3\n"),
                             2, 2, {1, 0}, {0, 1}, {n(-2, 3), n(2, -3)});
    expect_matrix<TypeParam>(
        this->read("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 -2 3\n"), 2, 2, {0, 1, 0},
        {0, 0, 1}, {n(4, 0), n(-2, 3), n(-2, -3)});
    expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix array complex general\n2 1\n1 2\n3 4\n"), 2, 1, {0, 1},
                             {0, 0}, {n(1, 2), n(3, 4)});
    expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix array complex symmetric\n2 2\n1 2\n3 4\n5 6\n"), 2, 2,
                             {0, 1, 1, 0}, {0, 0, 1, 1}, {n(1, 2), n(3, 4), n(5, 6), n(3, 4)});
    expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix array complex skew-symmetric\n2 2\n3 4\n"), 2, 2, {1, 0},
                             {0, 1}, {n(3, 4), n(-3, -4)});
    expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n3 4\n5 0\n"), 2, 2,
                             {0, 1, 1, 0}, {0, 0, 1, 1}, {n(1, 0), n(3, 4), n(5, 0), n(3, -4)});
  }
}

TYPED_TEST(ReadMatrixMarket, Vectors) {
  const auto n = [](double re) { return TestFixture::number(re); };
  using Vector = std::vector<TypeParam>;
  EXPECT_EQ(this->read_vector("%%MatrixMarket matrix array real general\n3 1\n1.5\n-2\n0\n"),
            (Vector{n(1.5), n(-2), n(0)}));
  EXPECT_EQ(this->read_vector("%%MatrixMarket matrix array integer general\n2 1\n7\n8\n"), (Vector{n(7), n(8)}));
  // Entry 1 is not named, entry 3 is named twice.
  EXPECT_EQ(this->read_vector("%%MatrixMarket matrix coordinate real general\n3 1 3\n3 1 1\n2 1 5\n3 1 0.5\n"),
            (Vector{n(0), n(5), n(1.5)}));
  EXPECT_EQ(this->read_vector("%%MatrixMarket matrix coordinate pattern general\n2 1 1\n2 1\n"), (Vector{n(0), n(1)}));
  EXPECT_EQ(this->read_vector("%%MatrixMarket matrix array real general\n0 1\n"), Vector{});
  EXPECT_EQ(this->read_vector("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), Vector{n(0)});
}

TYPED_TEST(ReadMatrixMarket, EntriesAboveTheDiagonalAreMirroredToo) {
  const auto n = [](double re) { return TestFixture::number(re); };
  expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 2 7\n1 3 8\n"), 3, 3,
                           {0, 0, 1, 2}, {1, 2, 0, 0}, {n(7), n(8), n(7), n(8)});
  // One above and one below, which are not each other's mirror images.
  expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 2 7\n3 1 8\n"), 3, 3,
                           {0, 2, 1, 0}, {1, 0, 0, 2}, {n(7), n(8), n(7), n(8)});
}

TYPED_TEST(ReadMatrixMarket, WhatWritersDoToFiles) {
  const auto n = [](double re) { return TestFixture::number(re); };
  const std::vector<TypeParam> values = {n(1), n(-2.5), n(30)};
  const auto expect = [&](const std::string& content) {
    SCOPED_TRACE(content);
    expect_matrix<TypeParam>(this->read(content), 2, 2, {0, 0, 1}, {0, 1, 1}, values);
  };
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  expect(banner + "2 2 3\r\n1 1 1\r\n1 2 -2.5\r\n2 2 30\r\n");                                // Windows
  expect(banner + "2 2 3\n1 1 1\n1 2 -2.5\n2 2 30");                                          // no last line end
  expect(banner + "% a\n%\n\n  \n % b\n2 2 3\n1 1 1\n\n% c\n1 2 -2.5\n   \n2 2 30\n\n%d\n");  // comments, blank lines
  expect(banner + "  2\t2  3 \n\t1 1\t1  \n 1   2 -2.5\n2 2 30\t\n");                         // blanks
  expect(banner + "+2 +2 +3\n+1 +1 +1\n1 2 -2.5\n2 2 +3E+01\n");                              // plus signs
  expect(banner + "2 2 3\n1 1 1.0D+00\n1 2 -0.25d1\n2 2 3D1\n");                              // Fortran
  expect(banner + "2 2 3\n1 1 1.\n1 2 -25.E-1\n2 2 .3e2\n");
  expect("%%MATRIXMARKET MATRIX Coordinate REAL General\n2 2 3\n1 1 1\n1 2 -2.5\n2 2 30\n");
  expect("%%MatrixMarket  matrix\tcoordinate real general \r\n2 2 3\n1 1 1\n1 2 -2.5\n2 2 30\n");
}

TYPED_TEST(ReadMatrixMarket, EmptyMatrices) {
  expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix coordinate real general\n0 0 0\n"), 0, 0, {}, {}, {});
  expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix coordinate real symmetric\n5 5 0"), 5, 5, {}, {}, {});
  expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix array real general\n0 7\n"), 0, 7, {}, {}, {});
  expect_matrix<TypeParam>(this->read("%%MatrixMarket matrix array real skew-symmetric\n0 0\n"), 0, 0, {}, {}, {});
}

TYPED_TEST(ReadMatrixMarket, NumbersAtTheEndsOfTheRange) {
  using Real = real_t<TypeParam>;
  using Limits = std::numeric_limits<Real>;
  const bool is_float = std::is_same_v<Real, float>;
  const std::string largest = is_float ? "3.4028235e38" : "1.7976931348623157e308";
  const std::string smallest = is_float ? "1e-45" : "5e-324";
  const auto values = this->read_vector(
      "%%MatrixMarket matrix array real general\n8 1\n" + largest + "\n-" + largest + "\n" + smallest +
      "\n1e-999\n-1e-999\n-0.000D-999\n0.00001e-99999999999999999999" + "\n123456789012345678901234567890e-400\n");
  const auto re = [&](int i) { return real(values.at(i)); };
  EXPECT_EQ(re(0), Limits::max());
  EXPECT_EQ(re(1), Limits::lowest());
  EXPECT_EQ(re(2), Limits::denorm_min());
  EXPECT_EQ(re(3), Real(0));
  EXPECT_FALSE(std::signbit(re(3)));
  EXPECT_EQ(re(4), Real(0));
  EXPECT_TRUE(std::signbit(re(4)));
  EXPECT_EQ(re(5), Real(0));
  EXPECT_EQ(re(6), Real(0));
  EXPECT_EQ(re(7), Real(0));
}

TYPED_TEST(ReadMatrixMarket, LargeFileIsReadWholeWhereverItIsCut) {
  // Several MiB, more than one thread reads; lines of many lengths, comments and blank lines between them.
  const std::int64_t count = 300000;
  std::string content = "%%MatrixMarket matrix coordinate real general\n1000 1000 " + std::to_string(count) + "\n";
  for (std::int64_t k = 0; k < count; ++k) {
    if (k % 97 == 0) content += "% between the entries 1 1 1\n";
    if (k % 89 == 0) content += "\n";
    content += std::to_string(k % 1000 + 1) + " " + std::to_string(k / 1000 + 1) + " " + std::to_string(k) + ".5\n";
  }
  const auto matrix = this->read(content);
  ASSERT_EQ(matrix.values.size(), std::size_t(count));
  for (std::int64_t k = 0; k < count; ++k) {
    ASSERT_EQ(matrix.rows[k], k % 1000);
    ASSERT_EQ(matrix.cols[k], k / 1000);
    ASSERT_EQ(matrix.values[k], this->number(k + 0.5));
  }
}

TEST(ReadMatrixMarketHeader, SaysWhatTheFileHolds) {
  const TemporaryFolder folder;
  const auto header = io::read_matrix_market_header(
      folder.write("a.mtx", "%%MatrixMarket MATRIX coordinate complex Hermitian\n% c\n30 30 77\nnot looked at"));
  EXPECT_EQ(header.object, "matrix");
  EXPECT_EQ(header.format, io::MatrixMarketFormat::coordinate);
  EXPECT_EQ(header.field, io::MatrixMarketField::complex);
  EXPECT_EQ(header.symmetry, io::MatrixMarketSymmetry::hermitian);
  EXPECT_EQ(header.rows, 30);
  EXPECT_EQ(header.columns, 30);
  EXPECT_EQ(header.entries, 77);
}

TEST(ReadMatrixMarketHeader, CountsTheEntriesOfArrays) {
  const TemporaryFolder folder;
  const auto entries = [&](const std::string& symmetry, const std::string& size) {
    return io::read_matrix_market_header(
               folder.write("a.mtx", "%%MatrixMarket matrix array real " + symmetry + "\n" + size + "\n"))
        .entries;
  };
  EXPECT_EQ(entries("general", "5 7"), 35);
  EXPECT_EQ(entries("general", "2147483647 2147483647"), 2147483647LL * 2147483647LL);
  EXPECT_EQ(entries("symmetric", "5 5"), 15);
  EXPECT_EQ(entries("skew-symmetric", "5 5"), 10);
}

TEST(ReadMatrixMarketHeader, BehindALongCommentAndBeforeManyEntries) {
  const TemporaryFolder folder;
  std::string content = "%%MatrixMarket matrix coordinate real general\n";
  for (int i = 0; i < 20000; ++i) content += "% a comment of some length\n";
  content += "12345 6 7\n";
  EXPECT_EQ(io::read_matrix_market_header(folder.write("a.mtx", content)).rows, 12345);
  for (int i = 0; i < 20000; ++i) content += "an entry of some length\n";
  EXPECT_EQ(io::read_matrix_market_header(folder.write("a.mtx", content)).rows, 12345);
}

}  // namespace
}  // namespace ashlar::testing
