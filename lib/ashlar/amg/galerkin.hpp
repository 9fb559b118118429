#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>
#include <optional>
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

/// Zeros on the diagonal become the largest entry of the diagonal, or 1. `rows` are a rank's, with own columns first.
/// Collective; waits for `exec`.
template <class Exec, class Matrix>
void fill_diagonal(const Exec& exec, const Communicator& comm, const Matrix& rows) {
  using Scalar = typename Matrix::scalar_type;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const auto block = comm.together([&] { return diagonal_block_index(exec, rows); });
  const MatrixDiagonal<Matrix, std::decay_t<decltype(block)>> diagonal{rows.values(), block, rows.block_shape().rows};
  const Policy all(exec, 0, std::int64_t(rows.num_block_rows()));
  double largest = 0;
  Kokkos::parallel_reduce("ashlar::amg[largest diagonal entry]", all, diagonal, Kokkos::Max<double>(largest));
  exec.fence("ashlar::amg: the largest diagonal entry");
  largest = comm.max(largest);
  const auto scale = static_cast<Scalar>(largest > 0 ? largest : 1);
  Kokkos::parallel_for(
      "ashlar::amg[unreached rows]", all, KOKKOS_LAMBDA(std::int64_t i) {
        for (int r = 0; diagonal.block(i) >= 0 && r < diagonal.m; ++r) {
          if (diagonal.entry(i, r) == Scalar(0)) diagonal.entry(i, r) = scale;
        }
      });
  exec.fence("ashlar::amg: Galerkin product");
}

}  // namespace impl

/// The matrix of the coarse level, P^T A P: its structure once, its values for each new A and P.
///
/// Memory   two structures and the transpose index of P.
/// Async    waits for `exec`. Over ranks: collective.
template <class A>
class GalerkinProduct {
 public:
  /// P^T A P, in the pattern of `before`, an earlier result, if that is given. A row and column that P does not reach,
  /// of a mode that depends on others in its aggregate, gets the largest diagonal entry of the others on its diagonal.
  template <execution_space Exec>
  A multiply(const Exec& exec, const Communicator& comm, const A& a, const A& p, const A* before = nullptr) {
    if (!ap_) ap_.emplace(exec, a, p);
    const A ap = ap_->multiply(exec, a, p);
    if (!ptap_) ptap_.emplace(Product::of_transpose(exec, p, ap));
    const auto coarse = ptap_->multiply_rows(exec, p, ap);
    impl::fill_diagonal(exec, comm, coarse);
    return ptap_->distribute(exec, coarse, before);
  }

 private:
  using Product = typename LevelMatrix<A>::Product;

  std::optional<Product> ap_, ptap_;
};

}  // namespace ashlar::amg
