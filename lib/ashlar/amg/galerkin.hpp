#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/product.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::amg {

namespace impl {

/// The diagonal of a matrix of square blocks.
template <class Matrix, class Index>
struct MatrixDiagonal {
  using Scalar = typename Matrix::scalar_type;
  typename Matrix::values_view values;
  Index block;  // of each block row
  int m;

  KOKKOS_INLINE_FUNCTION Scalar& entry(std::int64_t i, int r) const {
    return values(std::int64_t(block(i)) * m * m + Matrix::layout_type::at(r, r, m));
  }
  /// The largest entry so far.
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    for (int r = 0; block(i) >= 0 && r < m; ++r) largest = Kokkos::max(largest, Kokkos::abs(double(entry(i, r))));
  }
};

}  // namespace impl

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

  /// P^T A P. A row and column that P does not reach, of a mode that depends on others in its aggregate, gets the
  /// largest diagonal entry of the others on its diagonal.
  ///
  /// Async    waits for `exec`.
  template <execution_space Exec>
  Matrix multiply(const Exec& exec, const Matrix& a, const Matrix& p) const {
    const Matrix coarse = ptap_.multiply(exec, p, ap_.multiply(exec, a, p));
    using Scalar = typename Matrix::scalar_type;
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
    const auto block = diagonal_block_index(exec, coarse);
    const impl::MatrixDiagonal<Matrix, std::decay_t<decltype(block)>> diagonal{coarse.values(), block,
                                                                               coarse.block_size()};
    const Policy rows(exec, 0, std::int64_t(coarse.num_block_rows()));
    double largest = 0;
    Kokkos::parallel_reduce("ashlar::amg[largest diagonal entry]", rows, diagonal, Kokkos::Max<double>(largest));
    exec.fence("ashlar::amg: the largest diagonal entry");
    const auto scale = static_cast<Scalar>(largest > 0 ? largest : 1);
    Kokkos::parallel_for(
        "ashlar::amg[unreached rows]", rows, KOKKOS_LAMBDA(std::int64_t i) {
          for (int r = 0; diagonal.block(i) >= 0 && r < diagonal.m; ++r) {
            if (diagonal.entry(i, r) == Scalar(0)) diagonal.entry(i, r) = scale;
          }
        });
    exec.fence("ashlar::amg: Galerkin product");
    return coarse;
  }

 private:
  MatrixProduct<Matrix> ap_, ptap_;
};

}  // namespace ashlar::amg
