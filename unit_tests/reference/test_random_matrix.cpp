#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/bcsr/validate.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <cmath>
#include <set>

#include "bcsr/matrices.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;
using ::testing::HasSubstr;

template <class Matrix>
class RandomBcsr : public ::testing::Test {};
TYPED_TEST_SUITE(RandomBcsr, MatrixTypes);

template <class Matrix>
std::int64_t length(const Matrix& A, std::int64_t i) {
  return A.graph().row_ptr()(i + 1) - A.graph().row_ptr()(i);
}

TYPED_TEST(RandomBcsr, RowsAreAsAskedFor) {
  const auto A = reference::random_bcsr<TypeParam>(
      300, 50, 3, {.min_blocks = 2, .max_blocks = 6, .empty_every = 10, .full_row = 123});
  static_assert(std::is_same_v<typename decltype(A)::memory_space, Kokkos::HostSpace>);
  EXPECT_NO_THROW(validate(Device(), copy_to<DeviceSpace>(Device(), A), {.finite_values = true}));
  EXPECT_EQ(A.num_block_rows(), 300);
  EXPECT_EQ(A.num_block_cols(), 50);
  EXPECT_EQ(A.block_size(), 3);
  std::set<std::int64_t> lengths;
  for (int i = 0; i < 300; ++i) {
    if (i == 123) {
      EXPECT_EQ(length(A, i), 50);
    } else if (i % 10 == 0) {
      EXPECT_EQ(length(A, i), 0);
    } else {
      lengths.insert(length(A, i));
    }
  }
  EXPECT_EQ(lengths, (std::set<std::int64_t>{2, 3, 4, 5, 6}));
}

TYPED_TEST(RandomBcsr, RowLengthsFromAFunction) {
  const auto A = reference::random_bcsr<TypeParam>(
      20, 30, 1, [](std::int64_t i) { return i; }, 7);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(length(A, i), i);
  EXPECT_NO_THROW(validate(Device(), copy_to<DeviceSpace>(Device(), A)));
}

TYPED_TEST(RandomBcsr, ValuesFillTheRangeFromMinusOneToOne) {
  using S = typename TypeParam::scalar_type;
  const auto A = reference::random_bcsr<TypeParam>(100, 100, 4);
  double lowest = 0, highest = 0, sum = 0;
  for (std::size_t v = 0; v < A.values().extent(0); ++v) {
    const S value = A.values()(v);
    const double re = real(value);
    EXPECT_LE(abs_squared(value), is_complex_v<S> ? 2 : 1);
    lowest = std::min(lowest, re);
    highest = std::max(highest, re);
    sum += re;
  }
  EXPECT_LT(lowest, -0.99);
  EXPECT_GT(highest, 0.99);
  EXPECT_LT(std::abs(sum), 5 * std::sqrt(double(A.num_values()) / 3));  // five standard deviations
}

TYPED_TEST(RandomBcsr, TheSeedDecides) {
  const auto A = reference::random_bcsr<TypeParam>(40, 40, 2, {}, 3),
             B = reference::random_bcsr<TypeParam>(40, 40, 2, {}, 3),
             C = reference::random_bcsr<TypeParam>(40, 40, 2, {}, 4);
  EXPECT_EQ(reference::dense(A), reference::dense(B));
  EXPECT_NE(reference::dense(A), reference::dense(C));
}

TEST(RandomBcsrShapes, NoRowsAndRowsLongerThanTheMatrixIsWide) {
  using Matrix = BcsrMatrix<double>;
  EXPECT_EQ(reference::random_bcsr<Matrix>(0, 5, 2).num_blocks(), 0);
  EXPECT_EQ(reference::random_bcsr<Matrix>(3, 0, 2).num_blocks(), 0);
  EXPECT_EQ(reference::random_bcsr<Matrix>(3, 2, 2, {.min_blocks = 5, .max_blocks = 9}).num_blocks(), 6);
}

TEST(RandomBcsrShapes, LengthsThatCannotBeAreRefused) {
  using Matrix = BcsrMatrix<double>;
  EXPECT_THAT(message_of<ShapeError>(
                  [] { reference::random_bcsr<Matrix>(3, 4, 1, [](std::int64_t i) { return i == 2 ? 5 : 1; }); }),
              HasSubstr("block row 2 of 5 blocks"));
  EXPECT_THAT(
      message_of<ArgumentError>([] { reference::random_bcsr<Matrix>(3, 4, 1, {.min_blocks = 3, .max_blocks = 2}); }),
      HasSubstr("3 to 2 blocks"));
}

TEST(Random, NumbersAreThoseOfTheSequence) {
  // The first outputs for the state 1234567, as published with the generator.
  reference::Random random(1234567);
  EXPECT_EQ(random.bits(), 6457827717110365317u);
  EXPECT_EQ(random.bits(), 3203168211198807973u);
  EXPECT_EQ(random.bits(), 9817491932198370423u);
}

}  // namespace
