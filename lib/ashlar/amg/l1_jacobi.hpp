#pragma once

#include <ashlar/amg/l1_diagonal.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/amg/smoother_update.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>

namespace ashlar::amg {

/// Sweeps of block-Jacobi with l1 norms on the diagonal as smoother, x := x + (D + diag(s))^-1 (b - A x): they converge
/// for any symmetric positive definite A, on any number of ranks. Self-adjoint in the inner product of A. Matrix is a
/// rank's local part of A.
///
/// Source   Baker, Falgout, Kolev and Yang 2011.
template <bcsr_matrix Matrix>
class L1JacobiSmoother {
 public:
  static constexpr bool is_self_adjoint = true;

  /// Waits for `exec`. Over ranks: collective.
  template <execution_space Exec, class A>
  L1JacobiSmoother(const Exec& exec, const LevelMatrix<A>& a, int sweeps)
      : inverse_(l1_diagonal_inverse(exec, a, L1Entries::beside_block)), sweeps_(sweeps) {}

  /// As ChebyshevSmoother::smooth().
  template <execution_space Exec, class A, class Vector>
  void smooth(const Exec& exec, const LevelMatrix<A>& a, bool from_zero, bool /*is_adjoint*/,
              const SmootherVectors<Vector>& v) const {
    if (!from_zero) a.multiply(exec, 1, v.x, 0, v.t);
    update_by_diagonal(exec, inverse_, from_zero ? SmootherStep::first_from_zero : SmootherStep::first, 0, 1, v);
    for (int k = 1; k < sweeps_; ++k) {
      a.multiply(exec, 1, v.d, 0, v.t);
      update_by_diagonal(exec, inverse_, SmootherStep::next, 0, 1, v);
    }
  }

  int products_of_cycle() const { return 2 * sweeps_; }

 private:
  BlockJacobiPreconditioner<Matrix> inverse_;
  int sweeps_;
};

}  // namespace ashlar::amg
