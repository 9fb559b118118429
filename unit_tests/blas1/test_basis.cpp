// Passes over a basis of Krylov vectors, beside plain loops.
#include <gtest/gtest.h>

#include <ashlar/blas1/basis.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/compare.hpp"

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

template <class S>
S entry_of(std::int64_t i) {
  const double a = std::sin(0.7 * double(i)), b = std::cos(1.3 * double(i));
  if constexpr (is_complex_v<S>) {
    return S(real_t<S>(a), real_t<S>(b));
  } else {
    return S(a + 0.1 * b);
  }
}

template <class S>
class BasisPasses : public ::testing::Test {
 protected:
  using Sum = sum_t<S>;

  static Sum product(const S& a, const S& b) {
    if constexpr (is_complex_v<S>) {
      return Kokkos::conj(Sum(a)) * Sum(b);
    } else {
      return Sum(a) * Sum(b);
    }
  }

  /// Both passes with `columns` of `most` columns, beside plain loops.
  void expect_right(std::int64_t rows, int columns, int most) {
    SCOPED_TRACE(::testing::Message() << rows << " rows, " << columns << " of " << most << " columns");
    std::vector<S> v(rows * most), w(rows);
    for (std::int64_t i = 0; i < rows * most; ++i) v[i] = entry_of<S>(i);
    for (std::int64_t i = 0; i < rows; ++i) w[i] = entry_of<S>(5 * i + 2);
    std::vector<Sum> coefficients(most);
    for (int k = 0; k < most; ++k) coefficients[k] = Sum(entry_of<S>(11 * k + 1)) * 0.1;

    const Exec exec;
    const auto there_v = to_device<Space>(v);
    const auto there_w = to_device<Space>(w);
    const auto there_c = to_device<Space>(coefficients);
    const Kokkos::View<int, Space> count("count");
    Kokkos::deep_copy(count, columns);
    const Kokkos::View<Sum*, Space> partial("partial", basis_partial_size(rows, most)), totals("totals", most + 1);
    const BasisAccess<S> basis{there_v.data(), rows};

    basis_dots(exec, basis, there_w.data(), count.data(), most, partial.data(), totals.data());
    expect_dots(v, w, columns, most, to_host(totals));
    EXPECT_EQ(to_host(there_w), w);

    subtract_and_dots(exec, basis, there_c.data(), there_w.data(), count.data(), most, partial.data(), totals.data());
    std::vector<S> expected = w;
    for (int k = 0; k < columns; ++k) {
      for (std::int64_t i = 0; i < rows; ++i) expected[i] -= S(coefficients[k]) * v[k * rows + i];
    }
    const auto found = to_host(there_w);
    const double eps = std::numeric_limits<real_t<S>>::epsilon();
    for (std::int64_t i = 0; i < rows; ++i)
      ASSERT_LE(Kokkos::abs(found[i] - expected[i]), 4 * (columns + 1) * eps) << i;
    expect_dots(v, found, columns, most, to_host(totals));
  }

 private:
  static void expect_dots(const std::vector<S>& v, const std::vector<S>& w, int columns, int most,
                          const std::vector<Sum>& totals) {
    const auto rows = static_cast<std::int64_t>(w.size());
    for (int k = 0; k <= most; ++k) {
      Sum sum(0);
      for (std::int64_t i = 0; i < rows && columns > 0 && k <= columns; ++i) {
        sum += product(k == 0 ? w[i] : v[(k - 1) * rows + i], w[i]);
      }
      EXPECT_LE(Kokkos::abs(totals[k] - sum), 1e-13 * double(rows + 1)) << "sum " << k;
    }
  }
};

using Types = ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(BasisPasses, Types);

TYPED_TEST(BasisPasses, AreThoseOfPlainLoops) {
  for (const std::int64_t rows : {0, 1, 129, 2500}) {
    for (const int columns : {0, 1, 4, 5, 8, 9, 16, 17, 32, 33, 65}) this->expect_right(rows, columns, 65);
  }
  this->expect_right(100003, 31, 31);
  this->expect_right(400001, 3, 4);
}

}  // namespace
}  // namespace ashlar::testing
