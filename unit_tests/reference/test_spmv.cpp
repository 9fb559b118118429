#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/reference/spmv.hpp>
#include <limits>
#include <vector>

#include "bcsr/matrices.hpp"

namespace {

using namespace ashlar;
using ashlar::testing::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 4 x 6 in blocks of 2:   1  2 |  .  . |  5  6
//                         3  4 |  .  . |  7  8
//                         .  . |  9 10 |  .  .
//                         .  . | 11 12 |  .  .
template <class S, class Layout>
auto by_hand() {
  using Matrix = BcsrMatrix<S, Layout, std::int32_t, std::int32_t, Kokkos::HostSpace>;
  const bool by_columns = std::is_same_v<Layout, BlockColumnMajor>;
  std::vector<S> values;
  for (const int first : {1, 5, 9}) {
    for (const int entry : by_columns ? std::vector{0, 2, 1, 3} : std::vector{0, 1, 2, 3}) {
      values.push_back(S(static_cast<real_t<S>>(first + entry)));
    }
  }
  return ashlar::testing::matrix_of<Matrix>(2, 3, {0, 2, 3}, {0, 2, 1}, values);
}

template <class T>
class ReferenceSpmv : public ::testing::Test {};
template <class S, class L>
struct Case {
  using Scalar = S;
  using Layout = L;
};
using Cases =
    ::testing::Types<Case<double, BlockColumnMajor>, Case<double, BlockRowMajor>, Case<float, BlockColumnMajor>,
                     Case<Kokkos::complex<float>, BlockRowMajor>, Case<Kokkos::complex<double>, BlockColumnMajor>>;
TYPED_TEST_SUITE(ReferenceSpmv, Cases);

TYPED_TEST(ReferenceSpmv, Dense) {
  using S = typename TypeParam::Scalar;
  const S o(0);
  EXPECT_THAT(reference::dense(by_hand<S, typename TypeParam::Layout>()), ElementsAre(S(1), S(2), o, o, S(5), S(6),  //
                                                                                      S(3), S(4), o, o, S(7), S(8),  //
                                                                                      o, o, S(9), S(10), o, o,       //
                                                                                      o, o, S(11), S(12), o, o));
}

TYPED_TEST(ReferenceSpmv, Product) {
  using S = typename TypeParam::Scalar;
  const auto A = by_hand<S, typename TypeParam::Layout>();
  const std::vector<S> x{S(1), S(-1), S(2), S(1), S(0), S(1)};
  std::vector<S> y{S(1), S(2), S(3), S(4)};
  reference::spmv(1, A, x, 0, y);  // 1-2+6, 3-4+8, 18+10, 22+12
  EXPECT_THAT(y, ElementsAre(S(5), S(7), S(28), S(34)));
  reference::spmv(2, A, x, -3, y);  // 2*A*x - 3*y = -A*x
  EXPECT_THAT(y, ElementsAre(S(-5), S(-7), S(-28), S(-34)));
  reference::spmv(-1, A, x, 1, y);
  EXPECT_THAT(y, ElementsAre(S(-10), S(-14), S(-56), S(-68)));
}

TYPED_TEST(ReferenceSpmv, TransposedProduct) {
  using S = typename TypeParam::Scalar;
  const auto A = by_hand<S, typename TypeParam::Layout>();
  const std::vector<S> x{S(1), S(-1), S(2), S(1)};
  std::vector<S> y(6, S(1));
  reference::spmv_transpose(1, A, x, 0, y);  // 1-3, 2-4, 18+11, 20+12, 5-7, 6-8
  EXPECT_THAT(y, ElementsAre(S(-2), S(-2), S(29), S(32), S(-2), S(-2)));
  reference::spmv_transpose(-1, A, x, 2, y);
  EXPECT_THAT(y, ElementsAre(S(-2), S(-2), S(29), S(32), S(-2), S(-2)));
}

TYPED_TEST(ReferenceSpmv, ZeroIsStrongerThanNaN) {
  using S = typename TypeParam::Scalar;
  const auto A = by_hand<S, typename TypeParam::Layout>();
  const S nan(std::numeric_limits<real_t<S>>::quiet_NaN());
  std::vector<S> y(4, nan), z(6, nan);
  reference::spmv(1, A, std::vector<S>(6, S(1)), 0, y);
  EXPECT_THAT(y, ElementsAre(S(14), S(22), S(19), S(23)));
  reference::spmv_transpose(1, A, std::vector<S>(4, S(1)), 0, z);
  EXPECT_THAT(z, ElementsAre(S(4), S(6), S(20), S(22), S(12), S(14)));
  // alpha = 0: x is not looked at.
  reference::spmv(0, A, std::vector<S>(6, nan), 2, y);
  EXPECT_THAT(y, ElementsAre(S(28), S(44), S(38), S(46)));
  reference::spmv_transpose(0, A, std::vector<S>(4, nan), 0, z);
  EXPECT_EQ(z, std::vector<S>(6, S(0)));
  // Any other beta lets NaN through.
  y[2] = nan;
  reference::spmv(1, A, std::vector<S>(6, S(1)), 1, y);
  EXPECT_FALSE(is_finite(y[2]));
  EXPECT_TRUE(is_finite(y[1]));
}

TEST(ReferenceSpmvByHand, TransposedIsNotConjugated) {
  using C = Kokkos::complex<double>;
  using Matrix = BcsrMatrix<C, BlockColumnMajor, std::int32_t, std::int32_t, Kokkos::HostSpace>;
  const auto A = ashlar::testing::matrix_of<Matrix>(1, 1, {0, 1}, {0}, {C(2, 3)});
  std::vector<C> y(1);
  reference::spmv_transpose(C(0, 1), A, std::vector<C>{C(1, 1)}, 0, y);  // i (2 + 3i) (1 + i) = -5 - i
  EXPECT_EQ(y[0], C(-5, -1));
  reference::spmv(C(0, 1), A, std::vector<C>{C(1, 1)}, C(0, 1), y);  // ... + i (-5 - i) = -4 - 6i
  EXPECT_EQ(y[0], C(-4, -6));
}

TEST(ReferenceSpmvByHand, EmptyRowsAndNoRows) {
  using Matrix = BcsrMatrix<double, BlockRowMajor, std::int64_t, std::int64_t, Kokkos::HostSpace>;
  const auto A = ashlar::testing::matrix_of<Matrix>(1, 2, {0, 0, 1, 1}, {1}, {3.0});
  std::vector<double> y(3, 7.0), none;
  reference::spmv(1, A, {1.0, 2.0}, 1, y);
  EXPECT_THAT(y, ElementsAre(7.0, 13.0, 7.0));
  EXPECT_NO_THROW(reference::spmv(1, ashlar::testing::matrix_of<Matrix>(2, 2, {0}, {}, {}), {1, 2, 3, 4}, 0, none));
}

TEST(ReferenceSpmvByHand, WrongLengthsAreRefused) {
  const auto A = by_hand<double, BlockColumnMajor>();
  std::vector<double> four(4), six(6);
  EXPECT_NO_THROW(reference::spmv(1, A, six, 0, four));
  EXPECT_THAT(message_of<ShapeError>([&] { reference::spmv(1, A, four, 0, six); }), HasSubstr("the operator is 4 x 6"));
  EXPECT_THAT(message_of<ShapeError>([&] { reference::spmv_transpose(1, A, six, 0, four); }),
              HasSubstr("x of length 6 and y of length 4"));
}

}  // namespace
