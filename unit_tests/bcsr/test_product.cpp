// Products of block matrices, compared with products of dense ones.
#include <gmock/gmock.h>

#include <ashlar/bcsr/product.hpp>
#include <ashlar/reference/random_matrix.hpp>

#include "bcsr/matrices.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// op(A) B of dense matrices stored row after row.
template <class S>
std::vector<S> dense_product(const std::vector<S>& a, const std::vector<S>& b, std::int64_t rows, std::int64_t inner,
                             std::int64_t cols, bool transposed) {
  std::vector<S> c(rows * cols, S(0));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < inner; ++k) {
      const S factor = transposed ? a[k * rows + i] : a[i * inner + k];
      for (std::int64_t j = 0; j < cols; ++j) c[i * cols + j] += factor * b[k * cols + j];
    }
  }
  return c;
}

template <class Matrix>
class ProductOf : public ::testing::Test {};
TYPED_TEST_SUITE(ProductOf, MatrixTypes);

/// All shapes with loops of their own, and others; long rows, empty rows, and blocks that meet in one place.
TYPED_TEST(ProductOf, RandomMatrices) {
  using Matrix = TypeParam;
  const Device exec;
  const double tolerance = sizeof(real_t<typename Matrix::scalar_type>) == sizeof(double) ? 1e-13 : 1e-4;
  for (const auto& [r, k, c] : {std::array{1, 1, 1},
                                {2, 2, 2},
                                {2, 2, 3},
                                {3, 2, 3},
                                {3, 3, 3},
                                {3, 3, 6},
                                {6, 3, 6},
                                {6, 6, 6},
                                {4, 5, 7},
                                {1, 6, 2}}) {
    const auto b = copy_to<DeviceSpace>(
        exec, reference::random_bcsr<Matrix>(9, 14, {k, c}, {.max_blocks = 6, .empty_every = 4, .full_row = 3}, 7));
    const auto a = copy_to<DeviceSpace>(
        exec, reference::random_bcsr<Matrix>(12, 9, {r, k}, {.max_blocks = 5, .empty_every = 5, .full_row = 6}, 3));
    const auto a_of_transpose = copy_to<DeviceSpace>(
        exec, reference::random_bcsr<Matrix>(9, 12, {k, r}, {.max_blocks = 5, .empty_every = 5, .full_row = 6}, 4));
    const Matrix ab = MatrixProduct<Matrix>(exec, a.graph(), b.graph()).multiply(exec, a, b);
    const Matrix atb =
        MatrixProduct<Matrix>::of_transpose(exec, a_of_transpose.graph(), b.graph()).multiply(exec, a_of_transpose, b);
    EXPECT_EQ(to_string(ab.block_shape()), to_string(BlockShape(r, c)));
    EXPECT_LE(max_difference(dense(ab), dense_product(dense(a), dense(b), 12 * r, 9 * k, 14 * c, false)), tolerance)
        << r << k << c;
    EXPECT_LE(max_difference(dense(atb), dense_product(dense(a_of_transpose), dense(b), 12 * r, 9 * k, 14 * c, true)),
              tolerance)
        << r << k << c;
  }
}

/// Rows of C of so many blocks, and of op(A) with so many entries, that a GPU takes some at a time.
TEST(Product, LongRows) {
  using Matrix = BcsrMatrix<double>;
  const Device exec;
  const auto make = [&](int rows, int cols, BlockShape shape, int blocks, std::uint64_t seed) {
    return copy_to<DeviceSpace>(exec,
                                reference::random_bcsr<Matrix>(
                                    rows, cols, shape, [=](std::int64_t i) { return i % 3 == 2 ? 1 : blocks; }, seed));
  };
  const auto a = make(7, 80, {3, 6}, 70, 1), a_of_transpose = make(80, 7, {6, 3}, 5, 2),
             b = make(80, 150, {6, 6}, 40, 3);
  const auto expect_equal = [&](const Matrix& c, const Matrix& factor, bool transposed) {
    EXPECT_LE(max_difference(dense(c), dense_product(dense(factor), dense(b), 21, 480, 900, transposed)), 1e-11);
  };
  expect_equal(MatrixProduct<Matrix>(exec, a.graph(), b.graph()).multiply(exec, a, b), a, false);
  expect_equal(
      MatrixProduct<Matrix>::of_transpose(exec, a_of_transpose.graph(), b.graph()).multiply(exec, a_of_transpose, b),
      a_of_transpose, true);
}

TEST(Product, StructureByHand) {
  // [1 1 .]   [. 1 . 1]   [1 1 . 1]
  // [. . .] * [1 . . .] = [. . . .]
  // [. . 1]   [. . 1 1]   [. . 1 1]
  using Matrix = BcsrMatrix<double>;
  const auto a = matrix_of<Matrix>(1, 3, {0, 2, 2, 3}, {0, 1, 2}, {1, 2, 3});
  const auto b = matrix_of<Matrix>(1, 4, {0, 2, 3, 5}, {1, 3, 0, 2, 3}, {1, 2, 3, 4, 5});
  const MatrixProduct<Matrix> product(Device(), a.graph(), b.graph());
  EXPECT_THAT(to_host(product.graph().row_ptr()), ElementsAre(0, 3, 3, 5));
  EXPECT_THAT(to_host(product.graph().col_idx()), ElementsAre(0, 1, 3, 2, 3));
  EXPECT_THAT(to_host(product.multiply(Device(), a, b).values()), ElementsAre(6, 1, 2, 12, 15));
}

/// Values of other matrices with the structures of the first.
TEST(Product, NewValues) {
  using Matrix = BcsrMatrix<double>;
  const Device exec;
  const auto make = [&](std::uint64_t seed) {
    return copy_to<DeviceSpace>(exec, reference::random_bcsr<Matrix>(
                                          8, 8, 3, [](std::int64_t) { return 8; }, seed));
  };
  const auto a = make(1), b = make(2), other = make(3);
  const MatrixProduct<Matrix> product(exec, a.graph(), b.graph());
  const Matrix c = product.multiply(exec, a, b);
  product.multiply(exec, other, b, c);
  EXPECT_LE(max_difference(dense(c), dense_product(dense(other), dense(b), 24, 24, 24, false)), 1e-13);
}

TEST(Product, RefusesMatricesThatDoNotFit) {
  using Matrix = BcsrMatrix<double>;
  const Device exec;
  const auto make = [&](int rows, int cols, BlockShape shape) {
    return copy_to<DeviceSpace>(exec, reference::random_bcsr<Matrix>(rows, cols, shape, reference::RandomRows{}, 1));
  };
  const auto a = make(4, 5, {2, 3});
  EXPECT_THAT(message_of<ShapeError>([&] {
                MatrixProduct<Matrix>(exec, a.graph(), make(6, 2, {3, 1}).graph());
              }),
              HasSubstr("A has 5 block columns and B has 6 block rows"));
  const auto b = make(5, 2, {3, 1});
  const MatrixProduct<Matrix> product(exec, a.graph(), b.graph());
  EXPECT_THAT(message_of<ShapeError>([&] {
                product.multiply(exec, a, make(5, 2, {2, 1}));
              }),
              HasSubstr("blocks of 2 x 3 times blocks of 2 x 1"));
  const auto shorter = copy_to<DeviceSpace>(exec, reference::random_bcsr<Matrix>(
                                                      5, 2, {3, 1}, [](std::int64_t i) { return i % 2; }, 1));
  EXPECT_THAT(message_of<ShapeError>([&] { product.multiply(exec, a, shorter); }), HasSubstr("was made for"));
  EXPECT_THAT(message_of<ShapeError>([&] { product.multiply(exec, a, b, a); }), HasSubstr("another matrix"));
}

}  // namespace
