// ILU(0) and SSOR of Kokkos Kernels against dense computations and against the library's own on hosts.
#include <gmock/gmock.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/interop/kokkos_kernels/ilu0_preconditioner.hpp>
#include <ashlar/interop/kokkos_kernels/ssor_preconditioner.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/ilu0_preconditioner.hpp>
#include <ashlar/operators/ssor_preconditioner.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/compare.hpp"
#include "support/dense.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
template <class Offset = std::int32_t, class Layout = BlockRowMajor>
using Matrix = BcsrMatrix<double, Layout, int, Offset>;
template <class Mat>
using Ilu0 = KokkosKernelsIlu0Preconditioner<Mat>;
template <class Mat>
using Ssor = KokkosKernelsSsorPreconditioner<Mat>;
using Vector = Kokkos::View<double*, Space>;
static_assert(preconditioner<Ilu0<Matrix<>>, Exec, Vector> && preconditioner<Ssor<Matrix<>>, Exec, Vector>);

Dense identity(const Dense& like) {
  Dense result(like.blocks(), like.b);
  for (int i = 0; i < like.n; ++i) result(i, i) = 1;
  return result;
}

template <class Offset, class Layout>
void expect_factors_of(int block_size, bool symmetric) {
  using Mat = Matrix<Offset, Layout>;
  const Dense a = random_matrix(9, block_size, symmetric);
  const Dense inverse = matrix_of<double, Exec>(Ilu0<Mat>(Exec(), bcsr_of<Mat>(a)), a);
  expect_inverse(incomplete_product(a), inverse, 1e-11);
  // L U is A where A has blocks.
  const Dense product = solved(inverse, identity(a));
  double fill = 0;
  for (int i = 0; i < a.n; ++i) {
    for (int j = 0; j < a.n; ++j) {
      if (a.has(i / a.b, j / a.b)) {
        EXPECT_NEAR(product(i, j), a(i, j), 1e-10 * a.n) << i << ", " << j;
      } else {
        fill += std::abs(product(i, j));
      }
    }
  }
  EXPECT_GT(fill, 1e-3);
}

TEST(KokkosKernelsIlu0, HasTheProductOfItsFactorsWhereAHasBlocks) {
  for (const int b : {1, 2, 3, 5}) {
    SCOPED_TRACE(b);
    for (const bool symmetric : {false, true}) {
      expect_factors_of<std::size_t, BlockRowMajor>(b, symmetric);
      expect_factors_of<std::int32_t, BlockColumnMajor>(b, symmetric);
    }
  }
}

/// The rows and columns of a in another order of blocks.
Dense reordered(const Dense& a, const std::vector<int>& order) {
  Dense result(a.blocks(), a.b);
  const auto from = [&](int i) { return order[std::size_t(i / a.b)] * a.b + i % a.b; };
  for (int i = 0; i < a.n; ++i) {
    for (int j = 0; j < a.n; ++j) result(i, j) = a(from(i), from(j));
  }
  return result;
}

/// The largest entry of m P - I, where P is `inverse` in this order.
double distance(const Dense& a, const Dense& inverse, double w, const std::vector<int>& order) {
  const Dense product = ssor_matrix(reordered(a, order), w) * reordered(inverse, order);
  double largest = 0;
  for (int i = 0; i < a.n; ++i) {
    for (int j = 0; j < a.n; ++j) largest = std::max(largest, std::abs(product(i, j) - (i == j)));
  }
  return largest;
}

/// Over all orders of block rows: Kokkos Kernels does not say in which order it has put the colours.
double smallest_distance(const Dense& a, const Dense& inverse, double w) {
  std::vector<int> order(std::size_t(a.blocks()));
  std::iota(order.begin(), order.end(), 0);
  double smallest = 1e300;
  do smallest = std::min(smallest, distance(a, inverse, w, order));
  while (std::next_permutation(order.begin(), order.end()));
  return smallest;
}

template <class Mat>
void expect_ssor(int block_size, double w) {
  SCOPED_TRACE(block_size);
  SCOPED_TRACE(w);
  const Dense a = random_matrix(5, block_size, false);
  const Dense inverse = matrix_of<double, Exec>(Ssor<Mat>(Exec(), bcsr_of<Mat>(a), w), a);
  EXPECT_LT(smallest_distance(a, inverse, w), 1e-12);
  EXPECT_GT(smallest_distance(a, inverse, 1.1 * w), 1e-6) << "the test tells no relaxations apart";
}

TEST(KokkosKernelsSsor, IsTheDenseFormulaInSomeOrderOfRows) {
  for (const double w : {1.0, 0.7, 1.6}) {
    for (const int b : {1, 3}) expect_ssor<Matrix<std::size_t>>(b, w);
  }
  expect_ssor<Matrix<std::int32_t, BlockColumnMajor>>(5, 1.2);
}

TEST(KokkosKernelsSsor, TakesNewValues) {
  using Mat = Matrix<>;
  const Dense a = random_matrix(5, 3, false);
  Dense other = a;
  for (std::size_t k = 0; k < a.entries.size(); ++k) other.entries[k] *= 1 + 0.1 * std::sin(double(k));
  const Ssor<Mat> m(Exec(), bcsr_of<Mat>(a));
  const Ssor<Mat> copy = m;
  m.update_values(Exec(), bcsr_of<Mat>(other));
  const Dense inverse = matrix_of<double, Exec>(copy, a);
  EXPECT_LT(smallest_distance(other, inverse, 1), 1e-12);
  EXPECT_GT(smallest_distance(a, inverse, 1), 1e-6);
}

template <class M>
void expect_vectors_of_any_layout(const M& m, int n) {
  const Exec exec;
  EXPECT_FALSE(m.is_identity());
  EXPECT_FALSE(is_capturable(m));
  EXPECT_GT(m.traffic_bytes(), 0);
  const AnyPreconditioner<double, Exec> any(m);
  const Vector numbers = to_device<Space>(random_vector<double>(2 * std::size_t(n), 3));
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> r(numbers.data(), n, 2), z("z", n, 2);
  any.apply(exec, r, z);
  for (int j = 0; j < 2; ++j) {
    const Vector v("v", n), of_z("z", n);
    Kokkos::deep_copy(exec, v, Kokkos::subview(r, Kokkos::ALL, j));
    Kokkos::deep_copy(exec, of_z, Kokkos::subview(z, Kokkos::ALL, j));
    m.apply(exec, v, v);  // in place
    exec.fence();
    const std::vector<double> expected = to_host(v), got = to_host(of_z);
    for (std::size_t i = 0; i < std::size_t(n); ++i) ASSERT_NEAR(got[i], expected[i], 1e-14) << i;
  }
  EXPECT_THAT(message_of<ShapeError>([&] { m.apply(exec, Vector("r", n + 1), Vector("z", n)); }),
              HasSubstr("the matrix has"));
}

TEST(KokkosKernelsPreconditioners, TakeSeveralVectorsAndWorkInPlace) {
  using Mat = Matrix<>;
  const Dense a = random_matrix(9, 3, false);
  expect_vectors_of_any_layout(Ilu0<Mat>(Exec(), bcsr_of<Mat>(a)), a.n);
  expect_vectors_of_any_layout(Ssor<Mat>(Exec(), bcsr_of<Mat>(a)), a.n);
}

/// The iterations to 1e-10, with a random right-hand side.
template <class Mat, class Solve, class M>
int iterations(const Mat& a, const Solve& solve, const M& m) {
  const Exec exec;
  const Vector b = to_device<Space>(random_vector<double>(std::size_t(a.num_rows()), 1));
  const Vector x("x", a.num_rows()), residual("residual", a.num_rows());
  const SolveReport report = solve(exec, BcsrOperator<Mat>(exec, a), m, b, x);
  EXPECT_EQ(report.status, SolveStatus::converged);
  Kokkos::deep_copy(exec, residual, b);
  spmv(exec, -1, a, x, 1, residual);
  exec.fence();
  const auto norm = [](const Vector& v) {
    double sum = 0;
    for (const double entry : to_host(v)) sum += entry * entry;
    return std::sqrt(sum);
  };
  EXPECT_LT(norm(residual), 1e-9 * norm(b));
  return report.iterations;
}

/// Kokkos Kernels' preconditioners save what the library's own do.
template <class Mat, class Solve>
void expect_iterations_of_own(const Mat& a, const Solve& solve) {
  const Exec exec;
  const int of_block_jacobi = iterations(a, solve, BlockJacobiPreconditioner<Mat>(exec, a));
  const int of_ilu0 = iterations(a, solve, Ilu0<Mat>(exec, a)), of_ssor = iterations(a, solve, Ssor<Mat>(exec, a));
  EXPECT_LE(of_ilu0, 0.7 * of_block_jacobi);
  EXPECT_LE(of_ssor, 0.8 * of_block_jacobi);
  if constexpr (!is_gpu_v<Exec>) {
    EXPECT_NEAR(of_ilu0, iterations(a, solve, Ilu0Preconditioner<Mat>(exec, a)), 1);
    // (The order of the colours takes more than the order of the rows.)
    EXPECT_LE(of_ssor, 1.5 * iterations(a, solve, SsorPreconditioner<Mat>(exec, a)));
  }
}

TEST(KokkosKernelsPreconditioners, TakeTheIterationsOfTheLibrarysOwn) {
  using Mat = Matrix<>;
  const auto with_cg = [](const auto& exec, const auto& op, const auto& m, const auto& b, const auto& x) {
    return cg(exec, op, m, b, x, {.rtol = 1e-10});
  };
  const auto with_gmres = [](const auto& exec, const auto& op, const auto& m, const auto& b, const auto& x) {
    return gmres(exec, op, m, b, x, {.rtol = 1e-10});
  };
  for (const int b : {1, 3}) {
    SCOPED_TRACE(b);
    expect_iterations_of_own(problems::stencil11<Mat>(Exec(), 12, 10, 8, b), with_cg);
    expect_iterations_of_own(bcsr_of<Mat>(random_matrix(60, b, true)), with_cg);
    expect_iterations_of_own(bcsr_of<Mat>(random_matrix(60, b, false)), with_gmres);
  }
}

TEST(KokkosKernelsPreconditioners, NameTheRowWithoutAPivot) {
  using Mat = Matrix<>;
  const Exec exec;
  Dense a(3, 1);
  std::fill(a.in_pattern.begin(), a.in_pattern.end(), char(1));
  a.entries = {1, 1, 0, 1, 1, 1, 0, 1, 1};  // the second pivot is 1 - 1
  EXPECT_THAT(message_of<NumericalError>([&] { Ilu0<Mat>(exec, bcsr_of<Mat>(a)); }),
              HasSubstr("ILU(0): the pivot block of block row 1 (from 0) has no inverse"));
  a(2, 2) = 0;
  for (const auto& make :
       {+[](const Mat& of) { Ilu0<Mat>(Exec(), of); }, +[](const Mat& of) { Ssor<Mat>(Exec(), of); }}) {
    EXPECT_THAT(message_of<NumericalError>([&] { make(bcsr_of<Mat>(a)); }),
                HasSubstr("the diagonal block of block row 2 (from 0) has no inverse"));
  }
  a(2, 2) = 5;
  EXPECT_THAT(message_of<ArgumentError>([&] { Ssor<Mat>(exec, bcsr_of<Mat>(a), 2.0); }), HasSubstr("SSOR: relaxation"));
  EXPECT_THAT(message_of<BlockSizeError>([&] { Ilu0<Mat>(exec, bcsr_of<Mat>(random_matrix(2, 12, true))); }),
              HasSubstr("blocks of size 11 at most"));
}

/// The last pivot block is I - C, where c are the rows of C.
Dense with_last_pivot(const std::vector<double>& c) {
  Dense a(2, 2);
  std::fill(a.in_pattern.begin(), a.in_pattern.end(), char(1));
  for (int i = 0; i < 4; ++i) {
    a(i, i) = 1;
    a(i % 2, 2 + i % 2) = 1;
    a(2 + i / 2, i % 2) = c[std::size_t(i)];
  }
  return a;
}

TEST(KokkosKernelsIlu0, NamesTheRowWhosePivotBlockHasNoFactors) {
  using Mat = Matrix<>;
  const auto make = [](const std::vector<double>& c) {
    return [a = bcsr_of<Mat>(with_last_pivot(c))] { Ilu0<Mat>(Exec(), a); };
  };
  EXPECT_NO_THROW(make({0.5, 0.5, 0, 0.5})());
  const auto names_the_row = HasSubstr("ILU(0): the pivot block of block row 1 (from 0) has no inverse");
  EXPECT_THAT(message_of<NumericalError>(make({1, 0, 0, 1})), names_the_row);
  EXPECT_THAT(message_of<NumericalError>(make({0.5, 0.5, 0, 1})), names_the_row);    // singular
  EXPECT_THAT(message_of<NumericalError>(make({1, 0.5, 0.5, 0.5})), names_the_row);  // a leading part is singular
}

TEST(KokkosKernelsPreconditioners, TakeAMatrixWithoutRows) {
  using Mat = Matrix<>;
  const auto a = bcsr_of<Mat>(Dense(0, 3));
  const Vector empty("empty", 0);
  Ilu0<Mat>(Exec(), a).apply(Exec(), empty, empty);
  Ssor<Mat>(Exec(), a).apply(Exec(), empty, empty);
}

}  // namespace
}  // namespace ashlar::testing
