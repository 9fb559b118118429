#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <cstdint>
#include <utility>

// All smoothers repeat one step, and differ in the correction d that follows from the residual r:
//
//   r := b - A x                  or r := b, if x is 0
//   d := correction(r)
//   x := x + d
//   repeat:   r := r - A d;   d := correction(r, d);   x := x + d

namespace ashlar::amg {

/// The vectors of a level in a smoothing. A smoother leaves the residual before its last step in r, and this step in d:
/// r - A d is the residual of x. t is scratch memory.
template <class Vector>
struct SmootherVectors {
  Vector b, x, r, d, t;
};

/// Where a step is among the steps of a smoothing.
enum class SmootherStep {
  first_from_zero,  ///< r := b;      d := of_r D^-1 r;             x := d
  first,            ///< r := b - t;  d := of_r D^-1 r;             x := x + d
  next              ///< r := r - t;  d := of_d d + of_r D^-1 r;    x := x + d
};

namespace impl {

/// The step of a block row, after the product t := A x or t := A d.
template <class Scalar, class Layout, int B>
struct SmootherUpdate {
  SmootherStep step;
  int block_size;  ///< where B is 0
  Scalar of_d, of_r;
  const Scalar *inverse, *b, *t;
  Scalar *r, *d, *x;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const int size = B > 0 ? B : block_size;
    const std::int64_t first = i * size;
    const Scalar* const block = inverse + first * size;
    for (int row = 0; row < size; ++row) {
      const std::int64_t k = first + row;
      if (step == SmootherStep::first_from_zero) {
        r[k] = b[k];
      } else {
        r[k] = (step == SmootherStep::first ? b[k] : r[k]) - t[k];
      }
    }
    for (int row = 0; row < size; ++row) {
      Scalar sum(0);
      for (int c = 0; c < size; ++c) sum += block[Layout::at(row, c, size)] * r[first + c];
      const std::int64_t k = first + row;
      d[k] = of_r * sum + (step == SmootherStep::next ? of_d * d[k] : Scalar(0));
      x[k] = (step == SmootherStep::first_from_zero ? Scalar(0) : x[k]) + d[k];
    }
  }
};

}  // namespace impl

/// A step with the inverse of a block diagonal D, after the product that it needs. Enqueued on `exec`.
template <execution_space Exec, bcsr_matrix Matrix, class Vector>
void update_by_diagonal(const Exec& exec, const BlockJacobiPreconditioner<Matrix>& d, SmootherStep step, double of_d,
                        double of_r, const SmootherVectors<Vector>& v) {
  using Scalar = typename Matrix::scalar_type;
  const auto inverse = d.diagonal_inverse();
  const std::int64_t num_block_rows = std::int64_t(v.r.extent(0)) / inverse.block_size;
  ashlar::impl::with_block_size_of(std::integer_sequence<int, 1, 2, 3, 6>{}, inverse.block_size, [&](auto size) {
    using Update = impl::SmootherUpdate<Scalar, typename Matrix::layout_type, size()>;
    Kokkos::parallel_for("ashlar::amg[smoother step]",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, num_block_rows),
                         Update{step, inverse.block_size, static_cast<Scalar>(of_d), static_cast<Scalar>(of_r),
                                inverse.values, v.b.data(), v.t.data(), v.r.data(), v.d.data(), v.x.data()});
  });
}

}  // namespace ashlar::amg
