#pragma once

#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/amg/smoother_update.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/cycles/chebyshev.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <utility>

namespace ashlar::amg {

/// A polynomial in D^-1 A as smoother, D the diagonal blocks: the Chebyshev polynomial that is smallest on the upper
/// part of the spectrum. It is its own adjoint in the inner product of A. Matrix is a rank's local part of A.
///
/// Source   Adams, Brezina, Hu and Tuminaro 2003; Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1.
template <bcsr_matrix Matrix>
class ChebyshevSmoother {
 public:
  static constexpr bool is_self_adjoint = true;

  /// Damps the part of the spectrum of D^-1 A between `lowest` and `largest`.
  ChebyshevSmoother(BlockJacobiPreconditioner<Matrix> inverse, int degree, double lowest, double largest)
      : inverse_(std::move(inverse)), degree_(degree), coefficients_(lowest, largest) {}

  /// x := S(x, b), or S(0, b).
  ///
  /// Async    enqueued on `exec`; no fence, no allocation. Over ranks, products wait as multiply() does.
  template <execution_space Exec, class A, class Vector>
  void smooth(const Exec& exec, const LevelMatrix<A>& a, bool from_zero, bool /*is_adjoint*/,
              const SmootherVectors<Vector>& v) const {
    if (!from_zero) a.multiply(exec, 1, v.x, 0, v.t);
    cycles::Chebyshev coefficients = coefficients_;
    const auto [of_d, of_r] = coefficients.first();
    update_by_diagonal(exec, inverse_, from_zero ? SmootherStep::first_from_zero : SmootherStep::first, of_d, of_r, v);
    for (int k = 1; k < degree_; ++k) {
      a.multiply(exec, 1, v.d, 0, v.t);
      const auto step = coefficients.next();
      update_by_diagonal(exec, inverse_, SmootherStep::next, step.of_d, step.of_r, v);
    }
  }

  /// Products with A of a cycle at a level, with the residual.
  int products_of_cycle() const { return 2 * degree_; }

 private:
  BlockJacobiPreconditioner<Matrix> inverse_;
  int degree_;
  cycles::Chebyshev coefficients_;
};

}  // namespace ashlar::amg
