#include <ashlar/base/error.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <cmath>
#include <limits>
#include <support/compare.hpp>
#include <support/some_types.hpp>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

template <class S>
class Blas1 : public ::testing::Test {};
using Scalars = SomeTypes<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Blas1, Scalars);

/// The value of a view of rank 0.
template <class View>
auto value_of(const View& view) {
  auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return mirror();
}

constexpr std::size_t n = 1000;

template <class S>
double tolerance(double size) {
  return 32 * std::numeric_limits<real_t<S>>::epsilon() * size;
}

TYPED_TEST(Blas1, DotConjugatesItsFirstArgument) {
  using S = TypeParam;
  const Exec exec;
  const auto x = random_vector<S>(n, 1), y = random_vector<S>(n, 2);
  S expected(0);
  for (std::size_t i = 0; i < n; ++i) expected += conj(x[i]) * y[i];
  const Kokkos::View<S, Space> result("result");
  dot(exec, to_device<Space>(x), to_device<Space>(y), result);
  EXPECT_LE(Kokkos::abs(value_of(result) - expected), tolerance<S>(std::sqrt(double(n))));

  // In scratch memory of the caller's, the real part.
  const TeamSums<Space> sums(exec);
  const Kokkos::View<double, Space> in_double("in_double");
  dot(exec, to_device<Space>(x), to_device<Space>(y), sums.access(), in_double.data());
  exec.fence();
  EXPECT_LE(std::abs(value_of(in_double) - double(real(expected))), tolerance<S>(std::sqrt(double(n))));

  const Kokkos::View<real_t<S>, Space> real_part("real");
  dot(exec, to_device<Space>(x), to_device<Space>(y), real_part);
  EXPECT_LE(std::abs(value_of(real_part) - real(expected)), tolerance<S>(std::sqrt(double(n))));

  const sum_t<S> returned = dot(exec, to_device<Space>(x), to_device<Space>(y));
  EXPECT_LE(Kokkos::abs(returned - sum_t<S>(expected)), tolerance<S>(std::sqrt(double(n))));
}

TYPED_TEST(Blas1, NormIsRealAndCountsBothParts) {
  using S = TypeParam;
  const Exec exec;
  // n times 3, or n times 3 + 4i.
  std::vector<S> x(n, S(3));
  double each = 9;
  if constexpr (is_complex_v<S>) {
    x.assign(n, S(3, 4));
    each = 25;
  }
  const Kokkos::View<real_t<S>, Space> norm("norm");
  norm2(exec, to_device<Space>(x), norm);
  EXPECT_NEAR(value_of(norm), std::sqrt(each * n), tolerance<S>(std::sqrt(each * n)));
  EXPECT_NEAR(norm2(exec, to_device<Space>(x)), std::sqrt(each * n), tolerance<S>(std::sqrt(each * n)));
}

TYPED_TEST(Blas1, LargestEntryIsFoundWithoutSquaringIt) {
  using S = TypeParam;
  const Exec exec;
  auto x = random_vector<S>(n, 1);
  x[617] = S(-30);
  EXPECT_EQ(norm_inf(exec, to_device<Space>(x)), real_t<S>(30));
  const real_t<S> tiny = std::numeric_limits<real_t<S>>::min();
  EXPECT_EQ(norm_inf(exec, to_device<Space>(std::vector<S>(5, S(tiny)))), tiny);
  EXPECT_EQ(norm_inf(exec, Kokkos::View<S*, Space>("none", 0)), real_t<S>(0));
}

TYPED_TEST(Blas1, SumsInThePrecisionOfTheResult) {
  using S = TypeParam;
  const Exec exec;
  // A large number and many small ones, which a sum of floats would lose.
  std::vector<S> x(10001, S(1));
  x[0] = S(1 << 14);
  const auto device = to_device<Space>(x);
  const Kokkos::View<double, Space> norm("norm"), inner("inner");
  norm2(exec, device, norm);
  dot(exec, device, device, inner);
  const double squared = std::pow(2.0, 28) + 10000;
  EXPECT_DOUBLE_EQ(value_of(norm), std::sqrt(squared));
  EXPECT_EQ(value_of(inner), squared);
  EXPECT_DOUBLE_EQ(norm2(exec, device), std::sqrt(squared));
  EXPECT_EQ(dot(exec, device, device), sum_t<S>(squared));
}

TYPED_TEST(Blas1, SumOfNothingIsZero) {
  const Exec exec;
  const Kokkos::View<TypeParam*, Space> none("none", 0);
  EXPECT_EQ(norm2(exec, none), 0.0);
  EXPECT_EQ(dot(exec, none, none), sum_t<TypeParam>(0));
  const Kokkos::View<double, Space> norm("norm");
  Kokkos::deep_copy(norm, 7.0);
  norm2(exec, none, norm);
  EXPECT_EQ(value_of(norm), 0.0);
}

TYPED_TEST(Blas1, AxpbyMeansBetaAsBlasDoes) {
  using S = TypeParam;
  const Exec exec;
  const auto x = random_vector<S>(n, 1), y = random_vector<S>(n, 2);
  for (const double beta : {0.0, 1.0, -0.5}) {
    auto start = y;
    if (beta == 0) start.assign(n, S(std::numeric_limits<real_t<S>>::quiet_NaN()));
    const auto device = to_device<Space>(start);
    axpby(exec, S(1.5), to_device<Space>(x), S(beta), device);
    exec.fence();
    std::vector<S> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = S(1.5) * x[i] + (beta == 0 ? S(0) : S(beta) * y[i]);
    EXPECT_LE(max_difference(to_host(device), expected), tolerance<S>(1)) << "beta " << beta;
  }
}

TYPED_TEST(Blas1, RefusesVectorsOfTwoLengths) {
  const Exec exec;
  const Kokkos::View<TypeParam*, Space> five("five", 5), six("six", 6);
  const Kokkos::View<TypeParam, Space> result("result");
  EXPECT_THROW(dot(exec, five, six, result), ShapeError);
  EXPECT_THROW(dot(exec, five, six), ShapeError);
  EXPECT_THROW(axpby(exec, TypeParam(1), five, TypeParam(0), six), ShapeError);
}

}  // namespace
}  // namespace ashlar::testing
