#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::amg {

/// The inverse of a symmetric positive definite dense matrix of n x n, entry (i, j) at i + j*n, by Cholesky's method;
/// if it is singular to rounding, its pseudo-inverse.
///
/// Throws   NumericalError if an entry is not finite.
std::vector<double> symmetric_inverse(const std::vector<double>& a, int n);

/// The coarsest level's solver: x := A^-1 b by the dense inverse, computed on the host.
template <bcsr_matrix Matrix>
class DenseInverse {
 public:
  using Scalar = typename Matrix::scalar_type;
  using Vector = Kokkos::View<Scalar*, typename Matrix::memory_space>;

  /// Async    waits for `exec`.
  /// Throws   NumericalError if an entry is not finite.
  template <execution_space Exec>
  DenseInverse(const Exec& exec, const Matrix& a)
      : inverse_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::amg::dense_inverse"),
                 std::size_t(a.num_rows()), std::size_t(a.num_rows())) {
    const auto there = copy_to<Kokkos::HostSpace>(exec, a);
    exec.fence("ashlar::amg: the coarsest matrix");
    const int n = static_cast<int>(a.num_rows()), b = a.block_size();
    std::vector<double> dense(std::size_t(n) * n, 0);
    const auto &row_ptr = there.graph().row_ptr(), &col_idx = there.graph().col_idx();
    for (std::int64_t i = 0; i < std::int64_t(there.num_block_rows()); ++i) {
      for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
        for (int c = 0; c < b; ++c) {
          for (int r = 0; r < b; ++r) {
            const std::size_t place = std::size_t(i * b + r) + std::size_t(std::int64_t(col_idx(k)) * b + c) * n;
            dense[place] = there.values()(k * b * b + Matrix::layout_type::at(r, c, b));
          }
        }
      }
    }
    const std::vector<double> inverse = symmetric_inverse(dense, n);
    const auto here = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, inverse_);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) here(i, j) = static_cast<Scalar>(inverse[i + std::size_t(j) * n]);
    }
    Kokkos::deep_copy(exec, inverse_, here);
    exec.fence("ashlar::amg: the inverse of the coarsest matrix");
  }

  /// x := A^-1 b. Enqueued on `exec`; no fence, no allocation.
  template <execution_space Exec>
  void solve(const Exec& exec, const Vector& b, const Vector& x) const {
    const auto inverse = inverse_;
    const int n = static_cast<int>(b.extent(0));
    using Policy = Kokkos::TeamPolicy<Exec>;
    const auto row = KOKKOS_LAMBDA(const typename Policy::member_type& team) {
      const int i = team.league_rank();
      double sum = 0;
      // (The inverse is symmetric: neighbouring threads read neighbouring entries of column i.)
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, n), [&](int j, double& part) { part += double(inverse(j, i)) * double(b(j)); },
          sum);
      Kokkos::single(Kokkos::PerTeam(team), [&] { x(i) = static_cast<Scalar>(sum); });
    };
    Kokkos::parallel_for("ashlar::amg[dense inverse]", Policy(exec, n, is_gpu_v<Exec> ? 64 : 1), row);
  }

 private:
  Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename Matrix::memory_space> inverse_;
};

}  // namespace ashlar::amg
