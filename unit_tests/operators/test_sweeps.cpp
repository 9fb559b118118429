// ILU(0) and SSOR against dense computations, on small matrices and on one whose rows are swept by several threads.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/ilu0_preconditioner.hpp>
#include <ashlar/operators/ssor_preconditioner.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/compare.hpp"
#include "support/dense.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Host = Kokkos::DefaultHostExecutionSpace;
template <class Scalar, class Layout = BlockColumnMajor>
using HostMatrix = BcsrMatrix<Scalar, Layout, std::int32_t, std::int32_t, Host::memory_space>;

template <class Scalar, class Layout = BlockColumnMajor>
HostMatrix<Scalar, Layout> bcsr(const Dense& a) {
  return bcsr_of<HostMatrix<Scalar, Layout>>(a);
}

template <class Layout>
void expect_factors_of(int num_blocks, int block_size, bool symmetric) {
  const Dense a = random_matrix(num_blocks, block_size, symmetric);
  const Dense product = incomplete_product(a);
  double fill = 0;
  for (int i = 0; i < a.n; ++i) {
    for (int j = 0; j < a.n; ++j) {
      if (a.has(i / a.b, j / a.b)) {
        EXPECT_NEAR(product(i, j), a(i, j), 1e-11 * a.n);
      } else {
        fill += std::abs(product(i, j));
      }
    }
  }
  EXPECT_GT(fill, 1e-3) << "the factors of such a pattern are not complete";
  const Ilu0Preconditioner m(Host(), bcsr<double, Layout>(a));
  expect_inverse(product, matrix_of<double>(m, a), 1e-11);
}

TEST(Ilu0, HasTheProductOfItsFactorsWhereAHasBlocks) {
  for (const int b : {1, 2, 3, 5, 6, 7}) {
    SCOPED_TRACE(b);
    for (const bool symmetric : {false, true}) {
      expect_factors_of<BlockColumnMajor>(9, b, symmetric);
      expect_factors_of<BlockRowMajor>(9, b, symmetric);
    }
  }
}

TEST(Ilu0, IsSymmetricForASymmetricMatrix) {
  const Dense a = random_matrix(9, 3, true);
  const Dense inverse = matrix_of<double>(Ilu0Preconditioner(Host(), bcsr<double>(a)), a);
  for (int i = 0; i < a.n; ++i) {
    for (int j = 0; j < i; ++j) EXPECT_NEAR(inverse(i, j), inverse(j, i), 1e-15);
  }
}

/// The smallest pivot of a symmetric matrix: positive if the matrix is positive definite.
double smallest_pivot(Dense a) {
  double smallest = a(0, 0);
  for (int k = 0; k < a.n; ++k) {
    smallest = std::min(smallest, a(k, k));
    for (int i = k + 1; i < a.n; ++i) {
      const double factor = a(i, k) / a(k, k);
      for (int j = k; j < a.n; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return smallest;
}

TEST(Ilu0, IsPositiveDefiniteIfAsked) {
  // Positive definite itself, and the last pivot of its incomplete factors is -5 (Kershaw 1978).
  Dense a(4, 1);
  a.entries = {3, -2, 0, 2, -2, 3, -2, 0, 0, -2, 3, -2, 2, 0, -2, 3};
  for (std::size_t k = 0; k < a.entries.size(); ++k) a.in_pattern[k] = a.entries[k] != 0;
  ASSERT_GT(smallest_pivot(a), 0);
  const Host exec;
  const auto matrix = bcsr<double>(a);
  EXPECT_LT(smallest_pivot(matrix_of<double>(Ilu0Preconditioner(exec, matrix), a)), 0);
  EXPECT_GT(smallest_pivot(matrix_of<double>(Ilu0Preconditioner(exec, matrix, {.positive_definite = true}), a)), 0);
  // Factors that are positive definite anyway stay as they are.
  const Dense dominant = random_matrix(9, 3, true);
  const auto good = bcsr<double>(dominant);
  EXPECT_EQ(matrix_of<double>(Ilu0Preconditioner(exec, good), dominant).entries,
            matrix_of<double>(Ilu0Preconditioner(exec, good, {.positive_definite = true}), dominant).entries);
}

/// No shift makes the factors positive definite if a diagonal entry is negative, and the entry has an inverse.
TEST(Ilu0, SaysThatAPivotIsNotPositiveDefinite) {
  Dense a(3, 1);
  a.entries = {2, -1, 0, -1, -2, -1, 0, -1, 2};
  for (std::size_t k = 0; k < a.entries.size(); ++k) a.in_pattern[k] = a.entries[k] != 0;
  const auto matrix = bcsr<double>(a);
  EXPECT_NO_THROW(Ilu0Preconditioner(Host(), matrix));
  EXPECT_THAT(message_of<IndefiniteError>([&] { Ilu0Preconditioner(Host(), matrix, {.positive_definite = true}); }),
              HasSubstr("ILU(0): the pivot block of block row 1 (from 0) is not positive definite"));
  a(1, 1) = 0;
  a(0, 1) = a(1, 0) = 0;
  EXPECT_THAT(
      message_of<NumericalError>([&] { Ilu0Preconditioner(Host(), bcsr<double>(a), {.positive_definite = true}); }),
      HasSubstr("block row 1 (from 0) has no inverse"));
}

TEST(Ssor, IsTheDenseFormula) {
  for (const double w : {1.0, 0.7, 1.6}) {
    for (const int b : {1, 3, 7}) {
      SCOPED_TRACE(w);
      const Dense a = random_matrix(8, b, false);
      const Dense m = ssor_matrix(a, w);
      expect_inverse(m, matrix_of<double>(SsorPreconditioner(Host(), bcsr<double>(a), w), a), 1e-11);
      expect_inverse(m, matrix_of<double>(SsorPreconditioner(Host(), bcsr<double, BlockRowMajor>(a), w), a), 1e-11);
    }
  }
}

TEST(Sweeps, TakeFloats) {
  const Dense a = random_matrix(9, 3, false);
  expect_inverse(incomplete_product(a), matrix_of<float>(Ilu0Preconditioner(Host(), bcsr<float>(a)), a), 1e-5);
}

TEST(Sweeps, TakeSeveralVectorsAndWorkInPlace) {
  const Host exec;
  const Dense a = random_matrix(9, 3, false);
  const Ilu0Preconditioner m(exec, bcsr<double>(a));
  const auto numbers = random_vector<double>(2 * a.n, 3);
  const Kokkos::View<double**, Kokkos::LayoutRight, Host::memory_space> r("test::r", a.n, 2), z("test::z", a.n, 2);
  for (int i = 0; i < a.n; ++i) {
    for (int j = 0; j < 2; ++j) r(i, j) = numbers[std::size_t(2 * i + j)];
  }
  m.apply(exec, r, z);
  exec.fence();
  for (int j = 0; j < 2; ++j) {
    const Kokkos::View<double*, Host::memory_space> v("test::v", a.n);
    for (int i = 0; i < a.n; ++i) v(i) = r(i, j);
    m.apply(exec, v, v);
    exec.fence();
    for (int i = 0; i < a.n; ++i) EXPECT_NEAR(z(i, j), v(i), 1e-14);
  }
}

/// Two halves of the rows, each of which needs the other alone: two levels, wide enough for several threads. Its
/// factors have no fill, so that ILU(0) is the inverse.
TEST(Sweeps, OfWideLevelsAreRightWithSeveralThreads) {
  const Host exec;
  constexpr int half = 4000, b = 3;
  using Matrix = HostMatrix<double>;
  const Kokkos::View<std::int32_t*, Host::memory_space> row_ptr("row_ptr", 2 * half + 1), col_idx("col_idx", 4 * half);
  const Matrix::values_view values("values", 4 * half * b * b);
  const auto numbers = random_vector<double>(std::int64_t(values.extent(0)), 5);
  for (int i = 0; i < 2 * half; ++i) {
    row_ptr(i + 1) = 2 * (i + 1);
    // Row i has the mirrored row of the other half.
    col_idx(2 * i) = std::min(i, 2 * half - 1 - i);
    col_idx(2 * i + 1) = std::max(i, 2 * half - 1 - i);
    for (int q = 0; q < 2 * b * b; ++q) values(2 * i * b * b + q) = numbers[std::size_t(2 * i * b * b + q)];
    const int own = i < half ? 2 * i : 2 * i + 1;
    for (int r = 0; r < b; ++r) values(own * b * b + r * (b + 1)) += 10;
  }
  const Matrix a(b, {2 * half, row_ptr, col_idx}, values);
  const Ilu0Preconditioner m(exec, a);
  const Kokkos::View<double*, Host::memory_space> x("x", a.num_rows()), ax("ax", a.num_rows()), z("z", a.num_rows());
  for (std::int64_t i = 0; i < a.num_rows(); ++i) x(i) = numbers[std::size_t(i)];
  spmv(exec, 1, a, x, 0, ax);
  m.apply(exec, ax, z);
  exec.fence();
  double largest = 0;
  for (std::int64_t i = 0; i < a.num_rows(); ++i) largest = std::max(largest, std::abs(z(i) - x(i)));
  EXPECT_LE(largest, 1e-13);
}

TEST(Sweeps, SaveIterationsOfCg) {
  const Host exec;
  using Matrix = HostMatrix<double>;
  const auto a = problems::stencil11<Matrix>(exec, 12, 10, 8, 2);
  const BcsrOperator<Matrix> op(exec, a);
  const auto numbers = random_vector<double>(a.num_rows(), 1);
  const Kokkos::View<double*, Host::memory_space> b("b", a.num_rows());
  for (std::int64_t i = 0; i < a.num_rows(); ++i) b(i) = numbers[std::size_t(i)];
  const auto iterations = [&](const auto& m) {
    const Kokkos::View<double*, Host::memory_space> x("x", a.num_rows());
    const SolveReport report = cg(exec, op, m, b, x, {.rtol = 1e-10});
    EXPECT_EQ(report.status, SolveStatus::converged);
    return report.iterations;
  };
  const int of_block_jacobi = iterations(BlockJacobiPreconditioner<Matrix>(exec, a));
  EXPECT_LE(iterations(Ilu0Preconditioner<Matrix>(exec, a)), 0.6 * of_block_jacobi);
  EXPECT_LE(iterations(SsorPreconditioner<Matrix>(exec, a)), 0.7 * of_block_jacobi);
}

TEST(Sweeps, NameTheRowWithoutAPivot) {
  const Host exec;
  Dense a(3, 1);
  std::fill(a.in_pattern.begin(), a.in_pattern.end(), char(1));
  // The second pivot is 1 - 1.
  a.entries = {1, 1, 0, 1, 1, 1, 0, 1, 1};
  const auto matrix = bcsr<double>(a);
  try {
    const Ilu0Preconditioner m(exec, matrix);
    ADD_FAILURE() << "a pivot is 0";
  } catch (const NumericalError& error) {
    EXPECT_EQ(error.row(), 1);
    EXPECT_THAT(error.what(), HasSubstr("ILU(0): the pivot block of block row 1 (from 0) has no inverse"));
  }
  a(2, 2) = 0;
  EXPECT_THAT(message_of<NumericalError>([&] { SsorPreconditioner(exec, bcsr<double>(a)); }),
              HasSubstr("SSOR: the diagonal block of block row 2 (from 0) has no inverse"));
  a.in_pattern[8] = 0;
  for (const auto& make : {+[](const HostMatrix<double>& of) { Ilu0Preconditioner(Host(), of); },
                           +[](const HostMatrix<double>& of) { SsorPreconditioner(Host(), of); }}) {
    EXPECT_THAT(message_of<MissingDiagonalError>([&] { make(bcsr<double>(a)); }),
                HasSubstr("row 2 (from 0) has no diagonal"));
  }
  for (const double w : {0.0, 2.0, -1.0, std::nan("")}) {
    EXPECT_THAT(message_of<ArgumentError>([&] { SsorPreconditioner(exec, matrix, w); }), HasSubstr("SSOR: relaxation"));
  }
}

}  // namespace
}  // namespace ashlar::testing
