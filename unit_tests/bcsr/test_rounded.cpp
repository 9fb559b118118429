// Values of lower precision in rows that keep their sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/rounded.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/reference/spmv.hpp>
#include <cmath>
#include <vector>

#include "support/compare.hpp"

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = BcsrMatrix<double>;

Matrix beam() {
  const auto matrix = problems::cantilever_matrix<Matrix>(Exec(), {.nodes = {6, 4, 3}});
  Exec().fence();
  return matrix;
}

/// A x with the values in double.
template <class Any>
std::vector<double> product(const Any& a, const std::vector<double>& x) {
  const auto here = copy_to<Kokkos::HostSpace>(Exec(), convert_values<double>(Exec(), a));
  Exec().fence();
  std::vector<double> y(x.size(), 0);
  reference::spmv(1.0, here, x, 0.0, y);
  return y;
}

TEST(RoundKeepingSums, LeavesTheProductWithConstants) {
  const Matrix a = beam();
  const auto rounded = round_keeping_sums<float>(Exec(), a);
  EXPECT_EQ(rounded.num_blocks(), a.num_blocks() + a.num_block_rows());
  // Constants of each unknown, and pseudo-random numbers.
  std::vector<double> constant(std::size_t(a.num_rows()));
  for (std::size_t i = 0; i < constant.size(); ++i) constant[i] = double(i % 3 + 1);
  const auto exact = product(a, constant);
  double largest = 0;
  const auto host = copy_to<Kokkos::HostSpace>(Exec(), a);
  Exec().fence();
  for (std::size_t k = 0; k < host.values().extent(0); ++k) largest = std::max(largest, std::abs(host.values()(k)));
  EXPECT_LE(max_difference(product(rounded, constant), exact), 1e-13 * largest);
  EXPECT_GE(max_difference(product(convert_values<float>(Exec(), a), constant), exact), 1e-9 * largest);
  const auto x = random_vector<double>(a.num_rows(), 1);
  EXPECT_LE(max_difference(product(rounded, x), product(a, x)), 1e-5 * largest);
}

TEST(RoundKeepingSums, KeepsSymmetryUpToRounding) {
  const Matrix a = beam();
  const auto rounded = round_keeping_sums<float>(Exec(), a);
  const auto x = random_vector<double>(a.num_rows(), 1), y = random_vector<double>(a.num_rows(), 2);
  const auto ax = product(rounded, x), ay = product(rounded, y);
  double y_ax = 0, x_ay = 0, magnitude = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y_ax += y[i] * ax[i];
    x_ay += x[i] * ay[i];
    magnitude += std::abs(y[i] * ax[i]);
  }
  EXPECT_NEAR(y_ax, x_ay, 1e-8 * magnitude);
}

}  // namespace
}  // namespace ashlar::testing
