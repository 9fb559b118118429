// y := A x and x^H y at once: what the product and the dot one after the other give.
#include <gtest/gtest.h>

#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/spmv/spmv_dot.hpp>
#include <spmv/product_case.hpp>

namespace ashlar::testing {
namespace {

template <class Matrix>
void expect_product_and_dot(int b, int rows, const reference::RandomRows& shape, Kernel kernel = Kernel::automatic) {
  using S = typename Matrix::scalar_type;
  using Space = typename Matrix::memory_space;
  ProductCase<Matrix> c(reference::random_bcsr<Matrix>(rows, rows, b, shape, 100 + b));
  const SpmvPlan<Matrix> plan(c.exec, c.device, {.kernel = kernel});
  const auto x = random_vector<S>(c.host.num_cols(), 3);
  const auto expected = c.oracle(Mode::no_transpose, S(1), x, S(0), std::vector<S>(x.size()));
  const Kokkos::View<S*, Space> y("y", x.size());
  const Kokkos::View<double*, Space> total("total", 1);
  const TeamSums<Space> sums(c.exec);
  for (int run = 0; run < 2; ++run) {
    Kokkos::deep_copy(y, S(std::numeric_limits<real_t<S>>::quiet_NaN()));
    Kokkos::deep_copy(total, -1.0);
    spmv_dot(c.exec, plan, c.device, to_device<Space>(x), y, sums.access(), total.data());
    c.exec.fence();
    EXPECT_LE(max_difference(to_host(y), expected), c.tolerance(c.longest_row(Mode::no_transpose), 1, 0))
        << plan.explain();
    double dot = 0, magnitude = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      dot += double(real(conj(x[i]) * expected[i]));
      magnitude += std::sqrt(double(abs_squared(x[i]) * abs_squared(expected[i])));
    }
    EXPECT_NEAR(to_host(total)[0], dot, 64 * std::numeric_limits<real_t<S>>::epsilon() * magnitude + 1e-300)
        << plan.explain();
  }
}

template <class S>
class SpmvDot : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(SpmvDot, Scalars);

TYPED_TEST(SpmvDot, IsProductAndDot) {
  for (const int b : {1, 2, 3, 4, 6, 7, 8, 33}) {
    expect_product_and_dot<BcsrMatrix<TypeParam>>(b, 70, {.min_blocks = 1, .max_blocks = 9, .empty_every = 7});
    expect_product_and_dot<BcsrMatrix<TypeParam, BlockRowMajor>>(b, 70, {.min_blocks = 1, .max_blocks = 9});
  }
  expect_product_and_dot<BcsrMatrix<TypeParam>>(1, 100'000, {.min_blocks = 1, .max_blocks = 30});
  expect_product_and_dot<BcsrMatrix<TypeParam>>(3, 20'000, {.min_blocks = 1, .max_blocks = 30});
  expect_product_and_dot<BcsrMatrix<TypeParam>>(2, 0, {.min_blocks = 0, .max_blocks = 0});
}

TYPED_TEST(SpmvDot, TakesLongRowsAndOtherKernels) {
  expect_product_and_dot<BcsrMatrix<TypeParam>>(3, 5000, {.min_blocks = 0, .max_blocks = 3, .full_row = 123});
  expect_product_and_dot<BcsrMatrix<TypeParam>>(3, 300, {.min_blocks = 1, .max_blocks = 9}, Kernel::row_per_thread);
}

}  // namespace
}  // namespace ashlar::testing
