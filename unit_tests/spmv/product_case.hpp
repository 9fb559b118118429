#pragma once

#include <ashlar/bcsr/copy.hpp>
#include <ashlar/reference/spmv.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cmath>
#include <limits>
#include <support/compare.hpp>
#include <vector>

namespace ashlar::testing {

/// A matrix on host and device, vectors for it, and the oracle's answer to compare with.
template <bcsr_matrix Matrix>
struct ProductCase {
  using Scalar = typename Matrix::scalar_type;
  using Host = typename Matrix::template in_space<Kokkos::HostSpace>;
  using Exec = Kokkos::DefaultExecutionSpace;
  using Space = typename Matrix::memory_space;

  Exec exec;
  Host host;
  Matrix device;

  explicit ProductCase(Host matrix) : host(std::move(matrix)), device(copy_to<Space>(exec, host)) {}

  std::vector<Scalar> oracle(Mode mode, Scalar alpha, const std::vector<Scalar>& x, Scalar beta,
                             std::vector<Scalar> y) const {
    const Host a = is_conjugated(mode) ? conjugated(host) : host;
    if (is_transposed(mode)) {
      reference::spmv_transpose(alpha, a, x, beta, y);
    } else {
      reference::spmv(alpha, a, x, beta, y);
    }
    return y;
  }

  static Host conjugated(const Host& a) {
    const typename Host::values_view values("conjugated", a.values().extent(0));
    for (std::size_t i = 0; i < values.extent(0); ++i) values(i) = conj(a.values()(i));
    return Host(a.block_shape(), a.graph(), values);
  }

  /// The most that rounding may part product and oracle: both sum `terms` numbers, of magnitude up to `largest` each
  /// (twice that for complex ones), in different orders. Errors of either sign add up like a random walk.
  static double tolerance(double terms, Scalar alpha, Scalar beta) {
    const double eps = std::numeric_limits<real_t<Scalar>>::epsilon();
    const double size = std::sqrt(double(abs_squared(alpha))) * terms + std::sqrt(double(abs_squared(beta)));
    return eps * (8 + 2 * std::sqrt(terms)) * size * (is_complex_v<Scalar> ? 2 : 1);
  }

  /// Rows of A, or of A^T, have at most this many entries.
  double longest_row(Mode mode) const {
    std::vector<std::int64_t> length(is_transposed(mode) ? host.num_block_cols() : host.num_block_rows(), 0);
    for (std::int64_t i = 0; i < host.num_block_rows(); ++i) {
      for (std::int64_t k = host.graph().row_ptr()(i); k < host.graph().row_ptr()(i + 1); ++k) {
        ++length[is_transposed(mode) ? std::int64_t(host.graph().col_idx()(k)) : i];
      }
    }
    std::int64_t longest = 0;
    for (const std::int64_t each : length) longest = std::max(longest, each);
    return double(longest) * (is_transposed(mode) ? host.block_shape().rows : host.block_shape().cols);
  }

  void expect_right(SpmvOptions options, Scalar alpha, Scalar beta, unsigned seed = 7) const {
    const SpmvPlan<Matrix> plan(exec, device, options);
    expect_right(plan, alpha, beta, seed);
  }

  void expect_right(const SpmvPlan<Matrix>& plan, Scalar alpha, Scalar beta, unsigned seed = 7) const {
    const bool transpose = is_transposed(plan.mode());
    const auto x = random_vector<Scalar>(transpose ? host.num_rows() : host.num_cols(), seed);
    auto y = random_vector<Scalar>(transpose ? host.num_cols() : host.num_rows(), seed + 1);
    // With beta 0 what y holds must not matter.
    if (beta == Scalar(0)) y.assign(y.size(), Scalar(std::numeric_limits<real_t<Scalar>>::quiet_NaN()));
    const auto y_device = to_device<Space>(y);
    const auto expected = oracle(plan.mode(), alpha, x, beta, y);
    spmv(exec, plan, alpha, device, to_device<Space>(x), beta, y_device);
    exec.fence();
    EXPECT_LE(max_difference(to_host(y_device), expected), tolerance(longest_row(plan.mode()), alpha, beta))
        << plan.explain() << ", alpha " << alpha << ", beta " << beta << ", " << host.num_block_rows() << " x "
        << host.num_block_cols() << " blocks";
  }
};

/// What may be asked for: automatic, and every kernel there is.
inline const std::vector<Kernel> all_kernels = [] {
  std::vector<Kernel> kernels = ashlar::all_kernels();
  kernels.insert(kernels.begin(), Kernel::automatic);
  return kernels;
}();

inline constexpr Mode all_modes[] = {Mode::no_transpose, Mode::transpose, Mode::conjugate, Mode::conjugate_transpose};

/// Whether `kernel` is for products with this matrix, or its transpose, and one vector or several; width 0 is any.
template <bcsr_matrix Matrix>
bool is_served(Kernel kernel, const Matrix& matrix, Mode mode, int width = 0, bool many_vectors = false) {
  const bool transpose = is_transposed(mode);
  return impl::serves(kernel,
                      {.num_block_rows = 1,
                       .num_blocks = 1,
                       .block_shape = transpose ? matrix.block_shape().transposed() : matrix.block_shape(),
                       .value_bytes = sizeof(typename Matrix::scalar_type),
                       .by_columns = std::is_same_v<typename Matrix::layout_type, BlockColumnMajor> != transpose,
                       .in_order = !transpose,
                       .many_vectors = many_vectors},
                      width);
}

/// Whether a plan for products with several vectors may ask for `kernel`: one that serves single vectors too, or takes
/// several only.
template <bcsr_matrix Matrix>
bool is_served_with_several(Kernel kernel, const Matrix& matrix, Mode mode, int width = 0) {
  const bool has_single = kernel == Kernel::automatic || impl::has_single(kernel);
  return is_served(kernel, matrix, mode, width, !has_single);
}

}  // namespace ashlar::testing
