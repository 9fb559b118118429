#include <ashlar/blas1/axpby.hpp>
#include <ashlar/blas1/cg_steps.hpp>
#include <ashlar/blas1/dot.hpp>
#include <ashlar/blas1/norm2.hpp>
#include <ashlar/blas1/norm_inf.hpp>
#include <cmath>
#include <limits>
#include <support/compare.hpp>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

template <class S>
class Blas1 : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
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

  const Kokkos::View<real_t<S>, Space> real_part("real");
  dot(exec, to_device<Space>(x), to_device<Space>(y), real_part);
  EXPECT_LE(std::abs(value_of(real_part) - real(expected)), tolerance<S>(std::sqrt(double(n))));
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
  const Kokkos::View<real_t<S>, Space> squared("squared");
  norm2_squared(exec, to_device<Space>(x), squared);
  EXPECT_NEAR(value_of(squared), each * n, tolerance<S>(each * n));
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
  const Kokkos::View<double, Space> squared("squared"), inner("inner");
  norm2_squared(exec, device, squared);
  dot(exec, device, device, inner);
  EXPECT_EQ(value_of(squared), std::pow(2.0, 28) + 10000);
  EXPECT_EQ(value_of(inner), std::pow(2.0, 28) + 10000);
}

TYPED_TEST(Blas1, SumOfNothingIsZero) {
  const Exec exec;
  const Kokkos::View<TypeParam*, Space> none("none", 0);
  EXPECT_EQ(norm2(exec, none), 0.0);
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
  EXPECT_THROW(axpby(exec, TypeParam(1), five, TypeParam(0), six), ShapeError);
}

/// The arguments of cg_step on the device.
template <class S>
struct Step {
  using Real = real_t<S>;
  Exec exec;
  Kokkos::View<S*, Space> p, q, x, r;
  Kokkos::View<Real, Space> rz{"rz"}, pq{"pq"}, rr{"rr"};
  Kokkos::View<bool, Space> running{"running"};

  Step(Real rz_value, Real pq_value, bool is_running)
      : p(to_device<Space>(random_vector<S>(n, 1))),
        q(to_device<Space>(random_vector<S>(n, 2))),
        x(to_device<Space>(random_vector<S>(n, 3))),
        r(to_device<Space>(random_vector<S>(n, 4))) {
    Kokkos::deep_copy(rz, rz_value);
    Kokkos::deep_copy(pq, pq_value);
    Kokkos::deep_copy(running, is_running);
  }
  void take() {
    cg_step(exec, running, rz, pq, p, q, x, r, rr);
    exec.fence();
  }
};

TYPED_TEST(Blas1, CgStepMovesXAndRAndMeasuresR) {
  using S = TypeParam;
  Step<S> step(3, 4, true);
  const auto p = to_host(step.p), q = to_host(step.q);
  auto x = to_host(step.x), r = to_host(step.r);
  double squared = 0;
  for (std::size_t i = 0; i < n; ++i) {
    x[i] += S(0.75) * p[i];
    r[i] -= S(0.75) * q[i];
    squared += abs_squared(r[i]);
  }
  step.take();
  EXPECT_LE(max_difference(to_host(step.x), x), tolerance<S>(2));
  EXPECT_LE(max_difference(to_host(step.r), r), tolerance<S>(2));
  EXPECT_NEAR(value_of(step.rr), squared, tolerance<S>(squared));
}

TYPED_TEST(Blas1, CgStepLeavesXAloneWithoutAGoodStepLength) {
  using S = TypeParam;
  using Real = real_t<S>;
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (const auto& [pq, running] : {std::pair{Real(4), false}, {Real(0), true}, {Real(-1), true}, {nan, true}}) {
    Step<S> step(3, pq, running);
    const auto x = to_host(step.x), r = to_host(step.r);
    step.take();
    EXPECT_EQ(to_host(step.x), x) << "pq " << pq;
    EXPECT_EQ(to_host(step.r), r) << "pq " << pq;
  }
}

TYPED_TEST(Blas1, CgDirectionKeepsPWhereItIsNotRunning) {
  using S = TypeParam;
  const Exec exec;
  const auto z = random_vector<S>(n, 1), p = random_vector<S>(n, 2);
  const Kokkos::View<real_t<S>, Space> beta("beta");
  const Kokkos::View<bool, Space> running("running");
  Kokkos::deep_copy(beta, real_t<S>(0.5));
  const auto device = to_device<Space>(p);
  cg_direction(exec, running, beta, to_device<Space>(z), device);
  exec.fence();
  EXPECT_EQ(to_host(device), p);
  Kokkos::deep_copy(running, true);
  cg_direction(exec, running, beta, to_device<Space>(z), device);
  exec.fence();
  std::vector<S> expected(n);
  for (std::size_t i = 0; i < n; ++i) expected[i] = z[i] + S(0.5) * p[i];
  EXPECT_LE(max_difference(to_host(device), expected), tolerance<S>(1));
}

}  // namespace
}  // namespace ashlar::testing
