#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/cycles/chebyshev.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <cstdint>
#include <utility>

namespace ashlar::amg {

namespace impl {

/// The update of a block row by one step of the polynomial, after the product t := A x or t := A d.
enum class ChebyshevStep {
  first_from_zero,  ///< r := b;      d := D^-1 r / theta;             x := d
  first,            ///< r := b - t;  d := D^-1 r / theta;             x := x + d
  next              ///< r := r - t;  d := of_d d + of_r D^-1 r;       x := x + d
};

template <class Scalar, class Layout, int B>
struct ChebyshevUpdate {
  ChebyshevStep step;
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
      if (step == ChebyshevStep::first_from_zero) {
        r[k] = b[k];
      } else {
        r[k] = (step == ChebyshevStep::first ? b[k] : r[k]) - t[k];
      }
    }
    for (int row = 0; row < size; ++row) {
      Scalar sum(0);
      for (int c = 0; c < size; ++c) sum += block[Layout::at(row, c, size)] * r[first + c];
      const std::int64_t k = first + row;
      d[k] = of_r * sum + (step == ChebyshevStep::next ? of_d * d[k] : Scalar(0));
      x[k] = (step == ChebyshevStep::first_from_zero ? Scalar(0) : x[k]) + d[k];
    }
  }
};

}  // namespace impl

/// A polynomial in D^-1 A as smoother, D the diagonal blocks: the Chebyshev polynomial that is smallest on the upper
/// part of the spectrum. It is its own adjoint in the inner product of A. Matrix is a rank's local part of A.
///
/// Source   Adams, Brezina, Hu and Tuminaro 2003; Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1.
template <bcsr_matrix Matrix>
class ChebyshevSmoother {
 public:
  using Scalar = typename Matrix::scalar_type;
  using Vector = Kokkos::View<Scalar*, typename Matrix::memory_space>;

  /// Damps the part of the spectrum of D^-1 A between `lowest` and `largest`.
  ChebyshevSmoother(BlockJacobiPreconditioner<Matrix> inverse, int degree, double lowest, double largest)
      : inverse_(std::move(inverse)), degree_(degree), coefficients_(lowest, largest) {}

  const Scalar* inverse_of_diagonal() const { return inverse_.diagonal_inverse().values; }
  double largest() const { return coefficients_.largest(); }

  /// x := S(x, b), or S(0, b). Leaves in r and d what residual() needs; t is scratch memory.
  ///
  /// Async    enqueued on `exec`; no fence, no allocation. Over ranks, products wait as multiply() does.
  template <execution_space Exec, class A>
  void smooth(const Exec& exec, const LevelMatrix<A>& a, bool from_zero, const Vector& b, const Vector& x,
              const Vector& r, const Vector& d, const Vector& t) const {
    using impl::ChebyshevStep;
    const auto update = [&](ChebyshevStep step, double of_d, double of_r) {
      ashlar::impl::with_block_size_of(
          std::integer_sequence<int, 1, 2, 3, 6>{}, a.local().block_size(), [&](auto size) {
            using Update = impl::ChebyshevUpdate<Scalar, typename Matrix::layout_type, size()>;
            Kokkos::parallel_for(
                "ashlar::amg[Chebyshev]",
                Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                           std::int64_t(a.local().num_block_rows())),
                Update{step, a.local().block_size(), static_cast<Scalar>(of_d), static_cast<Scalar>(of_r),
                       inverse_of_diagonal(), b.data(), t.data(), r.data(), d.data(), x.data()});
          });
    };
    if (!from_zero) a.multiply(exec, 1, x, 0, t);
    cycles::Chebyshev coefficients = coefficients_;
    const auto [of_d, of_r] = coefficients.first();
    update(from_zero ? ChebyshevStep::first_from_zero : ChebyshevStep::first, of_d, of_r);
    for (int k = 1; k < degree_; ++k) {
      a.multiply(exec, 1, d, 0, t);
      const auto step = coefficients.next();
      update(ChebyshevStep::next, step.of_d, step.of_r);
    }
  }

  /// r := b - A x after smooth(), from the residual before its last step: r := r - A d.
  template <execution_space Exec, class A>
  void residual(const Exec& exec, const LevelMatrix<A>& a, const Vector& r, const Vector& d) const {
    a.multiply(exec, -1, d, 1, r);
  }

 private:
  BlockJacobiPreconditioner<Matrix> inverse_;
  int degree_;
  cycles::Chebyshev coefficients_;
};

}  // namespace ashlar::amg
