#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/graph.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/persistent_cg/one_device.hpp>
#include <cstdint>

namespace ashlar {

namespace impl {

/// inverse(i) := 1 / a_ii; returns the first row whose diagonal entry is zero, missing or not finite, or num_rows.
template <class Exec, class Matrix, class Inverse>
std::int64_t invert_diagonal(const Exec& exec, const Matrix& matrix, const Inverse& inverse) {
  using Scalar = typename Matrix::scalar_type;
  const auto row_ptr = matrix.graph().row_ptr();
  const auto col_idx = matrix.graph().col_idx();
  const auto values = matrix.values();
  const std::int64_t b = matrix.block_size(), n = matrix.num_rows();
  std::int64_t first_bad = n;
  Kokkos::parallel_reduce(
      "ashlar::jacobi[invert]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & bad) {
        const std::int64_t block = find_block(row_ptr, col_idx, i / b, i / b), row = i % b;
        const Scalar a = block < 0 ? Scalar(0) : values(block * b * b + row * b + row);
        inverse(i) = Scalar(1) / a;
        if ((a == Scalar(0) || !is_finite(a) || !is_finite(inverse(i))) && i < bad) bad = i;
      },
      Kokkos::Min<std::int64_t>(first_bad));
  exec.fence("ashlar::jacobi: first zero on the diagonal");
  return first_bad < n ? first_bad : n;
}

/// z_i := r_i / a_ii, and its share of r^H z.
template <class Inverse, class Scalar>
struct JacobiDot {
  struct Loaded {
    Scalar r, z;
  };

  const Inverse* inverse;
  const Scalar* r;
  Scalar* z;

  KOKKOS_INLINE_FUNCTION Loaded load(std::int64_t i) const { return {r[i], inverse[i] * r[i]}; }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, const Loaded& loaded, double (&sum)[1]) const {
    z[i] = loaded.z;
    sum[0] += real_product(loaded.r, loaded.z);
  }
};

}  // namespace impl

/// The diagonal of A as preconditioner: z_i := r_i / a_ii.
///
/// Shapes   A is square; r and z are vectors, or multi-vectors, of as many rows as A.
/// Memory   one vector in the matrix's memory space; r and z reachable from `exec`.
///          Copies share it.
/// Async    the constructor and update_values() wait for `exec`; the rest is enqueued. Only the constructor allocates.
/// Throws   ShapeError for a matrix that is not square, NumericalError naming the first row with a zero (or no, or no
///          finite) diagonal entry, StructureError instead if the graph is not valid (columns that do not ascend).
/// Source   Saad, Iterative Methods for Sparse Linear Systems, section 10.2.
template <bcsr_matrix Matrix>
class JacobiPreconditioner {
 public:
  using scalar_type = typename Matrix::scalar_type;

  template <execution_space Exec>
  JacobiPreconditioner(const Exec& exec, const Matrix& matrix)
      : inverse_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::jacobi::inverse"), matrix.num_rows()) {
    if (matrix.num_rows() != matrix.num_cols()) {
      throw ShapeError(text("Jacobi: a matrix of ", matrix.num_rows(), " x ", matrix.num_cols()),
                       "only a square matrix has a diagonal to invert", impl::instead_of_not_square);
    }
    update_values(exec, matrix);
  }

  /// The diagonal of new values, for this object and its copies. After an exception it is of no use until another call
  /// succeeds.
  ///
  /// Throws   ShapeError for a matrix of other sizes; else as the constructor.
  template <execution_space Exec>
  void update_values(const Exec& exec, const Matrix& matrix) const {
    if (matrix.num_rows() != std::int64_t(inverse_.extent(0)) || matrix.num_cols() != matrix.num_rows()) {
      throw ShapeError(text("Jacobi: new values of a matrix of ", matrix.num_rows(), " x ", matrix.num_cols()),
                       text("the preconditioner was made for ", inverse_.extent(0), " rows"),
                       "make a new preconditioner");
    }
    const std::int64_t bad = impl::invert_diagonal(exec, matrix, inverse_);
    if (bad < matrix.num_rows()) {
      validate(exec, matrix.graph());
      throw NumericalError(bad, text("Jacobi: the diagonal entry of row ", bad, " (from 0) is zero or has no inverse"),
                           "this preconditioner divides by it", "use no preconditioner, or block-Jacobi");
    }
  }

  /// z := D^-1 r, for vectors or multi-vectors. Enqueued on `exec`; no fence, no allocation.
  template <execution_space Exec, class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    const auto inverse = inverse_;
    if constexpr (Z::rank() == 1) {
      for_entries(
          "ashlar::jacobi[apply]", exec, z.extent(0), KOKKOS_LAMBDA(std::int64_t i) { z(i) = inverse(i) * r(i); });
    } else {
      for_entries(
          "ashlar::jacobi[apply]", exec, z.extent(0), KOKKOS_LAMBDA(std::int64_t i) {
            for (std::size_t j = 0; j < z.extent(1); ++j) z(i, j) = inverse(i) * r(i, j);
          });
    }
  }

  /// The same, and *slot := r^H z, its real part, in one pass.
  template <execution_space Exec, vector_view R, vector_view Z>
  void apply_dot(const Exec& exec, const R& r, const Z& z, const TeamSumsAccess& sums, double* slot) const {
    sum_over_entries<1>(
        "ashlar::jacobi[apply,dot]", exec, z.extent(0), sums, {slot},
        impl::JacobiDot<scalar_type, typename R::non_const_value_type>{inverse_.data(), r.data(), z.data()});
  }

  bool is_identity() const { return false; }
  /// True if the host never waits: on a device.
  bool is_stream_ordered() const { return is_gpu_v<typename Matrix::memory_space::execution_space>; }
  bool is_capturable() const { return true; }
  DiagonalInverse<scalar_type> diagonal_inverse() const { return {inverse_.data(), 1, true}; }
  std::int64_t traffic_bytes() const { return 3 * std::int64_t(inverse_.extent(0)) * sizeof(scalar_type); }

 private:
  Kokkos::View<scalar_type*, typename Matrix::memory_space> inverse_;
};

}  // namespace ashlar
