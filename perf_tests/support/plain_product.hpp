#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/spmv/kernel.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <support/types.hpp>

// What products are checked against before they are timed.

namespace ashlar::perf {

/// A vector whose entries are all different and of size about 1.
template <class Scalar>
Vector<Scalar> test_vector(const Exec& exec, std::int64_t n) {
  const Vector<Scalar> x("perf::x", n);
  Kokkos::parallel_for(
      "perf::test_vector", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
      KOKKOS_LAMBDA(std::int64_t i) {
        x(i) = static_cast<Scalar>(0.5 + static_cast<double>((i * 7919) % 10007) / 10007);
      });
  return x;
}

/// What y should be, and for each of its entries the sum of the magnitudes that it is the sum of: one thread an entry,
/// in plain loops that share no code with what is measured.
template <class Scalar>
struct Expected {
  Vector<Scalar> y, magnitude;
  double summands = 0;  ///< of an entry of y in the longest rows, about
};

template <class M, class X, class Scalar = typename X::non_const_value_type>
Expected<Scalar> plain_product(const Exec& exec, const M& a, const X& x, Mode mode) {
  using Layout = typename M::layout_type;
  const std::int64_t n = is_transposed(mode) ? a.num_cols() : a.num_rows();
  const double average = double(a.num_values()) / double(std::max<std::int64_t>(a.num_rows(), 1));
  const Expected<Scalar> expected{Vector<Scalar>("perf::expected", n), Vector<Scalar>("perf::magnitude", n),
                                  100 * average};
  const int b = a.block_size();
  const auto row_ptr = a.graph().row_ptr();
  const auto col_idx = a.graph().col_idx();
  const auto values = a.values();
  const bool transpose = is_transposed(mode);
  Kokkos::parallel_for(
      "perf::plain_product", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.num_rows()),
      KOKKOS_LAMBDA(std::int64_t row) {
        const std::int64_t i = row / b;
        const int r = static_cast<int>(row % b);
        Scalar sum(0), magnitude(0);
        for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
          for (int c = 0; c < b; ++c) {
            const Scalar value(values(k * b * b + Layout::at(r, c, b)));
            const std::int64_t column = std::int64_t(col_idx(k)) * b + c;
            if (transpose) {
              Kokkos::atomic_add(&expected.y(column), value * x(row));
              Kokkos::atomic_add(&expected.magnitude(column), Scalar(Kokkos::abs(value * x(row))));
            } else {
              sum += value * x(column);
              magnitude += Scalar(Kokkos::abs(value * x(column)));
            }
          }
        }
        if (!transpose) {
          expected.y(row) = sum;
          expected.magnitude(row) = magnitude;
        }
      });
  return expected;
}

/// The largest difference of y and what it should be, in units of the rounding that is due.
template <class Y, class Scalar>
double error_of(const Exec& exec, const Y& y, const Expected<Scalar>& expected) {
  const double unit = std::numeric_limits<Scalar>::epsilon() * (8 + 2 * std::sqrt(expected.summands));
  double worst = 0;
  Kokkos::parallel_reduce(
      "perf::error", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, y.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, double& most) {
        const double error = Kokkos::abs(double(y(i)) - double(expected.y(i)));
        const double due = unit * Kokkos::abs(double(expected.magnitude(i)));
        const double ratio = error <= due ? 0 : due > 0 ? error / due : 1e300;
        // A NaN is no less wrong.
        if (!(ratio <= most)) most = ratio <= 1e300 ? ratio : 1e300;
      },
      Kokkos::Max<double>(worst));
  return worst;
}

}  // namespace ashlar::perf
