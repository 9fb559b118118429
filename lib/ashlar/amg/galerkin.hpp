#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/product.hpp>
#include <cstdint>

namespace ashlar::amg {

/// The matrix of the coarse level, P^T A P: its structure once, its values for each new A and P.
///
/// Memory   two structures and the transpose index of P.
/// Async    the constructor waits for `exec`.
template <bcsr_matrix Matrix>
class GalerkinProduct {
 public:
  template <execution_space Exec>
  GalerkinProduct(const Exec& exec, const Matrix& a, const Matrix& p)
      : ap_(exec, a.graph(), p.graph()), ptap_(MatrixProduct<Matrix>::of_transpose(exec, p.graph(), ap_.graph())) {}

  /// P^T A P. A row and column that P does not reach, of a mode that depends on others in its aggregate, gets a 1 on
  /// the diagonal.
  ///
  /// Async    the values are enqueued on `exec`; their allocation is not.
  template <execution_space Exec>
  Matrix multiply(const Exec& exec, const Matrix& a, const Matrix& p) const {
    const Matrix coarse = ptap_.multiply(exec, p, ap_.multiply(exec, a, p));
    using Layout = typename Matrix::layout_type;
    using Scalar = typename Matrix::scalar_type;
    const auto values = coarse.values();
    const auto diagonal = diagonal_block_index(exec, coarse);
    const int m = coarse.block_size();
    Kokkos::parallel_for(
        "ashlar::amg[unreached rows]",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(coarse.num_block_rows())),
        KOKKOS_LAMBDA(std::int64_t i) {
          for (int r = 0; diagonal(i) >= 0 && r < m; ++r) {
            Scalar& entry = values(std::int64_t(diagonal(i)) * m * m + Layout::at(r, r, m));
            if (entry == Scalar(0)) entry = Scalar(1);
          }
        });
    exec.fence("ashlar::amg: Galerkin product");
    return coarse;
  }

 private:
  MatrixProduct<Matrix> ap_, ptap_;
};

}  // namespace ashlar::amg
