#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <limits>
#include <type_traits>

#include "support/compare.hpp"

namespace {

using namespace ashlar;
using Complex = Kokkos::complex<double>;

static_assert(std::is_same_v<real_t<double>, double> && std::is_same_v<real_t<float>, float>);
static_assert(std::is_same_v<real_t<Complex>, double> && std::is_same_v<real_t<const Kokkos::complex<float>>, float>);
static_assert(!is_complex_v<double> && is_complex_v<Complex>);
static_assert(!is_complex_v<const float> && is_complex_v<const Kokkos::complex<float>>);
static_assert(scalar<float> && scalar<Complex> && !scalar<int> && !scalar<std::string>);

TEST(Scalar, ConjTurnsTheImaginaryPartOnly) {
  EXPECT_EQ(conj(Complex(2, 3)), Complex(2, -3));
  EXPECT_EQ(conj(-2.5), -2.5);
  static_assert(std::is_same_v<decltype(conj(1.0f)), float>);
}

TEST(Scalar, Real) {
  EXPECT_EQ(real(Complex(2, 3)), 2.0);
  EXPECT_EQ(real(-2.5f), -2.5f);
  static_assert(std::is_same_v<decltype(real(Kokkos::complex<float>())), float>);
}

TEST(Scalar, AbsSquaredHasNoRoot) {
  EXPECT_EQ(abs_squared(Complex(3, -4)), 25.0);
  EXPECT_EQ(abs_squared(-3.0), 9.0);
}

TEST(Scalar, IsFiniteLooksAtBothParts) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(is_finite(1.0));
  EXPECT_TRUE(is_finite(Complex(1, -1e300)));
  EXPECT_FALSE(is_finite(nan));
  EXPECT_FALSE(is_finite(-inf));
  EXPECT_FALSE(is_finite(Complex(nan, 0)));
  EXPECT_FALSE(is_finite(Complex(0, inf)));
  EXPECT_FALSE(is_finite(Kokkos::complex<float>(0, std::numeric_limits<float>::quiet_NaN())));
}

TEST(Scalar, Names) {
  EXPECT_EQ(scalar_name<float>(), "float");
  EXPECT_EQ(scalar_name<double>(), "double");
  EXPECT_EQ(scalar_name<Kokkos::complex<float>>(), "complex<float>");
  EXPECT_EQ(scalar_name<Complex>(), "complex<double>");
}

struct OnDevice {
  Kokkos::View<double*> result;
  KOKKOS_FUNCTION void operator()(int) const {
    const Complex a(3, 4);
    result(0) = conj(a).imag();
    result(1) = abs_squared(a);
    result(2) = is_finite(a) ? 1 : 0;
    result(3) = real(a);
  }
};

TEST(Scalar, TheSameOnTheDevice) {
  Kokkos::View<double*> result("test::result", 4);
  Kokkos::parallel_for("test::scalar", 1, OnDevice{result});
  EXPECT_EQ(ashlar::testing::to_host(result), (std::vector<double>{-4, 25, 1, 3}));
}

}  // namespace
