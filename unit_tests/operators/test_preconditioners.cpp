// Jacobi and block-Jacobi: their inverses, and their errors.
#include <gmock/gmock.h>

#include <cmath>

#include "krylov/systems.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

TEST(Preconditioners, InvertDenseBlocksThatNeedPivoting) {
  // A zero in the corner: elimination without pivoting fails at once.
  const auto a = block_diagonal<double>(3, 3, [](int i, int r, int c) {
    const double block[3][3] = {{0, 2, 1}, {2, 0, 3}, {1, 3, 0}};
    return (1 + i) * block[r][c];
  });
  const Exec exec;
  const BlockJacobiPreconditioner<BcsrMatrix<double>> m(exec, a);
  const auto x = random_vector<double>(9, 4);
  const Kokkos::View<double*, Space> ax("ax", 9), back("back", 9);
  spmv(exec, 1, a, to_device<Space>(x), 0, ax);
  m.apply(exec, ax, back);
  exec.fence();
  EXPECT_LE(max_difference(to_host(back), x), 1e-13);
}

TEST(Preconditioners, InvertBlocksOfEverySize) {
  const Exec exec;
  for (const int b : {1, 2, 5, 8, 17, 33, 64}) {
    const auto a = block_diagonal<double>(
        5, b, [b](int i, int r, int c) { return (r == c ? b + 1.0 : 0.0) + std::sin(1.0 + i + 7 * r + 13 * c); });
    const BlockJacobiPreconditioner<BcsrMatrix<double>> m(exec, a);
    const auto x = random_vector<double>(5 * b, 4);
    const Kokkos::View<double*, Space> ax("ax", 5 * b), back("back", 5 * b);
    spmv(exec, 1, a, to_device<Space>(x), 0, ax);
    m.apply(exec, ax, back);
    exec.fence();
    EXPECT_LE(max_difference(to_host(back), x), 1e-12) << "b = " << b;
  }
}

/// z and r^H z in one pass are those of the product with the inverse, and of that and a dot product.
template <class Matrix>
void expect_same_with_dot(const Matrix& a) {
  using Scalar = typename Matrix::scalar_type;
  const Exec exec;
  const BlockJacobiPreconditioner<Matrix> m(exec, a);
  const std::int64_t n = a.num_rows();
  const auto r = random_vector<Scalar>(n, 4);
  const Kokkos::View<Scalar*, Space> z("z", n), with_dot("with_dot", n);
  const TeamSums<Space> sums(exec);
  const Kokkos::View<double*, Space> total("total", 1);
  m.apply(exec, to_device<Space>(r), z);
  m.apply_dot(exec, to_device<Space>(r), with_dot, sums.access(), total.data());
  exec.fence();
  const auto expected = to_host(z);
  EXPECT_LE(max_difference(to_host(with_dot), expected), 1e-14);
  double dot = 0;
  for (std::int64_t i = 0; i < n; ++i) dot += real_product(r[i], expected[i]);
  EXPECT_NEAR(to_host(total)[0], dot, 1e-13 * double(n));
}

TEST(Preconditioners, AddUpWhatTheyApply) {
  const auto entry = [](int i, int r, int c) { return (r == c ? 9.0 : 0.0) + std::sin(1.0 + i + 7 * r + 13 * c); };
  for (const int b : {1, 2, 3, 4, 5, 6, 7, 33}) {
    SCOPED_TRACE(b);
    // More blocks than one thread takes.
    const auto a = block_diagonal<double>(5001, b, entry);
    expect_same_with_dot(a);
    expect_same_with_dot(BcsrMatrix<double, BlockRowMajor>(b, a.graph(), a.values()));
  }
  using Complex = Kokkos::complex<double>;
  expect_same_with_dot(block_diagonal<Complex>(
      50, 3, [&](int i, int r, int c) { return Complex(entry(i, r, c), 0.5 * entry(i + 1, c, r)); }));
}

/// After update_values() it is the preconditioner of the new values, and so are its copies.
template <class Preconditioner>
void expect_updated() {
  const Exec exec;
  const auto entry = [](int i, int r, int c) { return (r == c ? 9.0 : 0.0) + std::sin(1.0 + i + 7 * r + 13 * c); };
  const auto before = block_diagonal<double>(40, 3, entry);
  const auto after = block_diagonal<double>(40, 3, [&](int i, int r, int c) { return -2 * entry(3 * i + 1, c, r); });
  const Preconditioner m(exec, before), copy = m, of_after(exec, after);
  const auto r = to_device<Space>(random_vector<double>(120, 4));
  const auto applied = [&](const Preconditioner& any) {
    const Kokkos::View<double*, Space> z("z", 120);
    any.apply(exec, r, z);
    exec.fence();
    return to_host(z);
  };
  const auto z_before = applied(m);
  EXPECT_NE(z_before, applied(of_after));
  m.update_values(exec, after);
  EXPECT_EQ(applied(m), applied(of_after));
  EXPECT_EQ(applied(copy), applied(of_after));

  auto values = to_host(after.values());
  values[9 * 17] = values[9 * 17 + 1] = values[9 * 17 + 2] = 0;
  const BcsrMatrix<double> singular(3, after.graph(), to_device<Space>(values));
  EXPECT_THAT(message_of<NumericalError>([&] { m.update_values(exec, singular); }), HasSubstr("row "));
  m.update_values(exec, before);
  EXPECT_EQ(applied(m), z_before);

  const auto longer = block_diagonal<double>(41, 3, entry), smaller = block_diagonal<double>(40, 2, entry);
  EXPECT_THAT(message_of<ShapeError>([&] { m.update_values(exec, longer); }), HasSubstr("make a new preconditioner"));
  EXPECT_THAT(message_of<ShapeError>([&] { m.update_values(exec, smaller); }), HasSubstr("make a new preconditioner"));
}

TEST(Preconditioners, TakeNewValues) {
  expect_updated<JacobiPreconditioner<BcsrMatrix<double>>>();
  expect_updated<BlockJacobiPreconditioner<BcsrMatrix<double>>>();
}

TEST(Preconditioners, NameTheFirstRowThatHasNoInverse) {
  const Exec exec;
  const auto a = block_diagonal<double>(9, 2, [](int i, int r, int c) {
    if (i == 5 || i == 7) return 1.0;  // singular
    return r == c ? 2.0 : 0.5;
  });
  try {
    BlockJacobiPreconditioner<BcsrMatrix<double>>(exec, a);
    FAIL() << "a singular block was inverted";
  } catch (const NumericalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("block row 5"));
  }
  const auto zero = diagonal<double>({1, 2, 0, 4, 0});
  try {
    JacobiPreconditioner<BcsrMatrix<double>>(exec, zero);
    FAIL() << "zero was inverted";
  } catch (const NumericalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("row 2"));
  }
}

TEST(Preconditioners, RefuseADiagonalWhoseInverseIsInfinite) {
  // Not 0, but so small that 1 over it is no number.
  const auto tiny = diagonal<double>({1, 2, 3, 1e-310, 5});
  try {
    JacobiPreconditioner<BcsrMatrix<double>>(Exec(), tiny);
    FAIL() << "1 / 1e-310 was taken for a number";
  } catch (const NumericalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("row 3"));
    EXPECT_EQ(error.row(), 3);
  }
}

TEST(Preconditioners, NeedASquareMatrix) {
  const Exec exec;
  using Graph = BcsrMatrix<double>::graph_type;
  const Kokkos::View<std::int32_t*, Space> row_ptr("row_ptr", 3), col_idx("col_idx", 0);
  const BcsrMatrix<double> wide(2, Graph(3, row_ptr, col_idx), BcsrMatrix<double>::values_view("values", 0));
  EXPECT_THROW(JacobiPreconditioner<BcsrMatrix<double>>(exec, wide), ShapeError);
  EXPECT_THAT(message_of<ShapeError>([&] { BlockJacobiPreconditioner<BcsrMatrix<double>>(exec, wide); }),
              HasSubstr("for a rank's rows with ghost columns pass diagonal_blocks()"));
}

TEST(Preconditioners, NameColumnsThatDoNotAscend) {
  // A user's arrays, the diagonal entry of each row first: it is there, and 4.
  using Matrix = BcsrMatrix<double>;
  const int n = 6;
  const Kokkos::View<int*, Space> row_ptr("row_ptr", n + 1), col_idx("col_idx", 3 * n);
  const Matrix::values_view values("values", 3 * n);
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(0, n), KOKKOS_LAMBDA(int i) {
        row_ptr(i + 1) = 3 * (i + 1);
        for (int k = 0; k < 3; ++k) {
          col_idx(3 * i + k) = k == 0 ? i : k == 1 ? (i + n - 1) % n : (i + n - 2) % n;
          values(3 * i + k) = k == 0 ? 4 : -1;
        }
      });
  Kokkos::fence();
  const Matrix wrapped(1, Matrix::graph_type(n, row_ptr, col_idx), values);
  EXPECT_THAT(message_of<StructureError>([&] { JacobiPreconditioner<Matrix>(Exec(), wrapped); }),
              HasSubstr("the columns of a row ascend"));
  EXPECT_THAT(message_of<StructureError>([&] { BlockJacobiPreconditioner<Matrix>(Exec(), wrapped); }),
              HasSubstr("the columns of a row ascend"));
}

}  // namespace
}  // namespace ashlar::testing
