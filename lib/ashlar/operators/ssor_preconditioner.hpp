#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/triangular_sweeps.hpp>
#include <cstdint>
#include <memory>

namespace ashlar {

namespace impl {

/// The relaxation. Throws ArgumentError if it is not between 0 and 2.
inline double checked_relaxation(double relaxation) {
  if (relaxation > 0 && relaxation < 2) return relaxation;
  throw ArgumentError(text("SSOR: relaxation ", relaxation), "sweeps converge for values between 0 and 2",
                      "pass for instance 1");
}

}  // namespace impl

/// Symmetric successive over-relaxation by blocks as preconditioner: a forward and a backward sweep of Gauss-Seidel
/// with relaxation w,
///
///     M = (D/w + L) (D/w)^-1 (D/w + U) / (2 - w)
///
/// where L, D and U are the blocks of A below, on and above the diagonal. It is symmetric and positive definite if A
/// is.
///
/// Sweeps run on threads of a host, level by level: rows that do not wait for each other side by side. The bits do not
/// depend on the number of threads.
///
/// Shapes   A is square, with square blocks whose columns ascend; r and z are vectors, or multi-vectors, of as many
///          rows as A.
/// Memory   shares A, whose values may be replaced in place off the diagonal; an inverse block for each block row, and
///          the orders of rows. All in the host's memory.
/// Async    the constructor waits for `exec`; the rest is enqueued, without fence or allocation.
/// Throws   ShapeError for a matrix that is not square; ArgumentError for a relaxation that is not between 0 and 2;
///          NumericalError naming the first block row whose diagonal block is missing or singular, StructureError
///          instead if the graph is not valid.
/// Source   Young 1971; Saad, Iterative Methods for Sparse Linear Systems, sections 4.1 and 10.2.
template <bcsr_matrix Matrix>
class SsorPreconditioner {
 public:
  template <execution_space Exec>
  SsorPreconditioner(const Exec& exec, const Matrix& matrix, double relaxation = 1)
      : sweeps_(sweeps_of(exec, matrix, relaxation)) {}

  /// z := M^-1 r. Enqueued on `exec`; no fence, no allocation. r and z may be one.
  template <execution_space Exec, class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    sweeps_.apply("ashlar::ssor[apply]", exec, r, z);
  }

  bool is_identity() const { return false; }
  bool is_stream_ordered() const { return false; }
  bool is_capturable() const { return false; }
  std::int64_t traffic_bytes() const { return sweeps_.traffic_bytes(); }

 private:
  using Sweeps = impl::TriangularSweeps<Matrix>;

  template <class Exec>
  static Sweeps sweeps_of(const Exec& exec, const Matrix& matrix, double relaxation) {
    impl::checked_relaxation(relaxation);
    const auto diagonal = impl::places_on_diagonal("SSOR", exec, matrix);
    const std::int64_t n = matrix.num_block_rows(), b = matrix.block_size();
    const typename Matrix::values_view inverse(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::ssor::inverse"),
                                               n * b * b);
    if (const std::int64_t bad = impl::invert_diagonal_blocks(exec, matrix, inverse); bad < n) {
      throw NumericalError(bad, text("SSOR: the diagonal block of block row ", bad, " (from 0) has no inverse"),
                           text("it is singular; the block size is ", b),
                           "use no preconditioner, or another block size");
    }
    using Order = impl::SweepOrder<typename Matrix::ordinal_type>;
    const auto order = [&](bool forward) {
      return std::make_shared<const Order>(impl::sweep_order(matrix, diagonal, forward, exec.concurrency()));
    };
    return Sweeps(matrix, diagonal, inverse, order(true), order(false), relaxation);
  }

  Sweeps sweeps_;
};

}  // namespace ashlar
