#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/triangular_sweeps.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace ashlar {

namespace impl {

/// Makes block row i of the factors in place, of the rows before it:
///
///     for k < i in row i, ascending
///       A_ij := A_ij - A_ik D_k^-1 A_kj           for j > k in both rows
///     D_i := A_ii
///
/// so that L has A_ik below the diagonal, U has A_ij above it, and (L + D) D^-1 (D + U) is A where A has blocks.
template <int B, class Matrix>
struct FactorRow {
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;
  static constexpr int most = B > 0 ? B : max_block_size;

  const typename Matrix::offset_type* row_ptr;
  const typename Matrix::ordinal_type* col_idx;
  const std::make_signed_t<typename Matrix::offset_type>* diagonal;
  Scalar *values, *inverse;
  int block_size;
  bool definite;                                ///< whether D_i must be positive definite
  std::atomic<std::int64_t>* first_singular;    ///< block row whose D_i has no inverse
  std::atomic<std::int64_t>* first_indefinite;  ///< block row whose D_i has one, and is not positive definite

  void operator()(std::int64_t i) const {
    const int b = B > 0 ? B : block_size;
    const std::int64_t size = std::int64_t(b) * b, of_row = diagonal[i], end = row_ptr[i + 1];
    Scalar step[most * most];
    for (std::int64_t at = row_ptr[i]; at < of_row; ++at) {
      const std::int64_t k = col_idx[at], end_of_k = row_ptr[k + 1];
      multiply(values + at * size, inverse + k * size, step, b);
      std::int64_t other = std::int64_t(diagonal[k]) + 1;
      for (std::int64_t own = at + 1; own < end && other < end_of_k;) {
        if (col_idx[own] == col_idx[other]) {
          subtract_product(step, values + other * size, values + own * size, b);
          ++own;
          ++other;
        } else if (col_idx[own] < col_idx[other]) {
          ++own;
        } else {
          ++other;
        }
      }
    }
    int pivots[most];
    for (std::int64_t q = 0; q < size; ++q) step[q] = inverse[i * size + q] = values[of_row * size + q];
    if (!invert_block(inverse + i * size, pivots, b)) {
      lower(*first_singular, i);
    } else if (definite && !is_positive_definite(step, b)) {
      lower(*first_indefinite, i);
    }
  }

 private:
  static void lower(std::atomic<std::int64_t>& first, std::int64_t i) {
    std::int64_t known = first.load();
    while (i < known && !first.compare_exchange_weak(known, i)) {
    }
  }

  /// By its pivots; overwrites the block.
  static bool is_positive_definite(Scalar* block, int size) {
    const int b = B > 0 ? B : size;
    const auto at = [=](int i, int j) -> Scalar& { return block[Layout::at(i, j, b, b)]; };
    for (int k = 0; k < b; ++k) {
      if (!(Kokkos::real(at(k, k)) > 0)) return false;
      for (int i = k + 1; i < b; ++i) {
        const Scalar factor = at(i, k) / at(k, k);
        for (int j = k + 1; j < b; ++j) at(i, j) -= factor * at(k, j);
      }
    }
    return true;
  }

  /// c := x y
  static void multiply(const Scalar* x, const Scalar* y, Scalar* c, int b) {
    for (int q = 0; q < b * b; ++q) c[q] = Scalar(0);
    add_product(Scalar(1), x, y, c, b);
  }
  /// c -= x y
  static void subtract_product(const Scalar* x, const Scalar* y, Scalar* c, int b) {
    add_product(Scalar(-1), x, y, c, b);
  }
  static void add_product(Scalar sign, const Scalar* x, const Scalar* y, Scalar* c, int size) {
    const int b = B > 0 ? B : size;
    for (int column = 0; column < b; ++column) {
      for (int k = 0; k < b; ++k) {
        const Scalar entry = sign * y[Layout::at(k, column, b, b)];
        for (int row = 0; row < b; ++row) c[Layout::at(row, column, b, b)] += x[Layout::at(row, k, b, b)] * entry;
      }
    }
  }
};

}  // namespace impl

struct Ilu0Options {
  /// For a Hermitian A that is positive definite: the factors are, too, as CG needs it. If a pivot block is not, blocks
  /// off the diagonal are scaled down a little, and more until it is (Manteuffel 1980).
  bool positive_definite = false;
};

/// Incomplete factors of A with its own pattern, ILU(0), as preconditioner: z := U^-1 L^-1 r. L U has the blocks of A
/// where A has blocks. For a Hermitian A it is Hermitian.
///
/// Factors and sweeps run on threads of a host, level by level: rows that do not wait for each other side by side. The
/// bits do not depend on the number of threads.
///
/// Shapes   A is square, with square blocks whose columns ascend; r and z are vectors, or multi-vectors, of as many
///          rows as A.
/// Memory   values as A has, an inverse block for each block row, and the orders of rows; shares the graph of A. All in
///          the host's memory.
/// Async    the constructor waits for `exec`; the rest is enqueued, without fence or allocation.
/// Throws   ShapeError for a matrix that is not square. Naming the first such block row: MissingDiagonalError if it has
///          no diagonal block, or StructureError if the graph is not valid; NumericalError if its pivot block has no
///          inverse, or IndefiniteError if that is not positive definite, as was asked.
/// Source   Meijerink & van der Vorst 1977; Manteuffel 1980; Saad, Iterative Methods for Sparse Linear Systems,
/// section 10.3.2.
template <bcsr_matrix Matrix>
class Ilu0Preconditioner {
 public:
  template <execution_space Exec>
  Ilu0Preconditioner(const Exec& exec, const Matrix& matrix, const Ilu0Options& options = {})
      : sweeps_(factor(exec, matrix, options)) {}

  /// z := M^-1 r. Enqueued on `exec`; no fence, no allocation. r and z may be one.
  template <execution_space Exec, class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    sweeps_.apply("ashlar::ilu0[apply]", exec, r, z);
  }

  bool is_identity() const { return false; }
  bool is_stream_ordered() const { return false; }
  bool is_capturable() const { return false; }
  std::int64_t traffic_bytes() const { return sweeps_.traffic_bytes(); }

 private:
  using Sweeps = impl::TriangularSweeps<Matrix>;

  template <class Exec>
  static Sweeps factor(const Exec& exec, const Matrix& matrix, const Ilu0Options& options) {
    const auto diagonal = impl::places_on_diagonal("ILU(0)", exec, matrix);
    const std::int64_t n = matrix.num_block_rows(), b = matrix.block_size();
    const typename Matrix::values_view values(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::ilu0::values"),
                                              matrix.values().extent(0)),
        inverse(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::ilu0::inverse"), n * b * b);
    using Order = impl::SweepOrder<typename Matrix::ordinal_type>;
    const auto order = [&](bool forward) {
      return std::make_shared<const Order>(impl::sweep_order(matrix, diagonal, forward, exec.concurrency()));
    };
    const auto forward = order(true);
    // The first shift changes little; with the last one the factors are nearly the block diagonal.
    constexpr double first_shift = 1e-3, growth = 4, last_shift = 100;
    double shift = 0;
    std::atomic<std::int64_t> first_singular(n), first_indefinite(n);
    std::int64_t bad = n;
    while (true) {
      copy_scaled(exec, matrix, diagonal, 1 / (1 + shift), values);
      first_singular = first_indefinite = n;
      impl::with_block_size_of(impl::SweptBlockSizes{}, int(b), [&](auto size) {
        forward->for_each_row(
            "ashlar::ilu0[factor]", exec,
            impl::FactorRow<size(), Matrix>{matrix.graph().row_ptr().data(), matrix.graph().col_idx().data(),
                                            diagonal.data(), values.data(), inverse.data(), int(b),
                                            options.positive_definite, &first_singular, &first_indefinite});
      });
      exec.fence("ashlar::ilu0: factors");
      bad = std::min(first_singular.load(), first_indefinite.load());
      if (bad == n || !options.positive_definite || shift > last_shift) break;
      shift = shift == 0 ? first_shift : growth * shift;
    }
    const std::string pivot = text("ILU(0): the pivot block of block row ", bad, " (from 0) ");
    if (bad < first_singular) {
      throw IndefiniteError(bad, pivot + "is not positive definite",
                            text("to scale down the blocks off the diagonal did not help; the block size is ", b),
                            "check that the matrix is positive definite, or use another preconditioner");
    }
    if (bad < n) {
      throw NumericalError(bad, pivot + "has no inverse",
                           text("it is singular once the rows before it are eliminated; the block size is ", b),
                           "use block-Jacobi, or another block size");
    }
    return Sweeps(Matrix(matrix.block_shape(), matrix.graph(), values), diagonal, inverse, forward, order(false), 1);
  }

  /// values := A, with blocks off the diagonal times `factor`
  template <class Exec, class Index>
  static void copy_scaled(const Exec& exec, const Matrix& matrix, const Index& diagonal, double factor,
                          const typename Matrix::values_view& values) {
    using Scalar = typename Matrix::scalar_type;
    const auto from = matrix.values();
    const auto row_ptr = matrix.graph().row_ptr();
    const std::int64_t size = matrix.block_shape().num_values();
    const auto scale = static_cast<Scalar>(real_t<Scalar>(factor));
    Kokkos::parallel_for("ashlar::ilu0[values]",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, matrix.num_block_rows()),
                         [=](std::int64_t i) {
                           for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
                             const Scalar by = k == std::int64_t(diagonal(i)) ? Scalar(1) : scale;
                             for (std::int64_t q = k * size; q < (k + 1) * size; ++q) values(q) = by * from(q);
                           }
                         });
  }

  Sweeps sweeps_;
};

}  // namespace ashlar
