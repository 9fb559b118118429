#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/base/concepts.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::amg {

/// The inverse of a dense matrix, as the coarsest level of a cycle needs it.
///
///   A is                                          result
///   symmetric, and well positive definite         the inverse, by Cholesky's method
///   symmetric otherwise                           V L^+ V^T of A = V L V^T: L^+ inverts the eigenvalues above 1e-13 of
///                                                 the largest magnitude, and has 0 for all others, negative ones too
///   not symmetric                                 the pseudo-inverse, by complete orthogonal decomposition
///
/// A is symmetric if ||A - A^T|| <= 1e-5 ||A|| (Frobenius): products in float leave as much. Then (A + A^T) / 2 counts,
/// and the result is symmetric and has no negative eigenvalue. A is well positive definite if the pivots, the diagonal
/// of the Cholesky factor, are within a factor of 1e6 of each other.
///
/// Shapes   n x n, entry (i, j) at i + j*n, for A and the result. n may be 0.
/// Memory   some n x n matrices of doubles, until it returns.
/// Throws   NumericalError if an entry is not finite.
std::vector<double> inverse_of_dense(const std::vector<double>& a, int n);

/// The coarsest level's solver: x := A^-1 b by the dense inverse, computed on the host. Over ranks, each rank inverts
/// the whole matrix and keeps its own rows of the inverse.
template <class A>
class DenseInverse {
 public:
  using Scalar = typename LevelMatrix<A>::Scalar;
  using Vector = typename LevelMatrix<A>::Vector;

  /// Inverts the level's matrix, whose rows on this rank are `own`, dense and perhaps in higher precision.
  ///
  /// Async    collective; waits for `exec`.
  /// Throws   NumericalError on all ranks together if an entry is not finite.
  template <execution_space Exec>
  DenseInverse(const Exec& exec, const LevelMatrix<A>& a, const std::vector<double>& own)
      : inverse_(a.comm().together([&] {
          return Inverse(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::amg::dense_inverse"),
                         std::size_t(a.num_global_rows()), std::size_t(a.num_rows()));
        })),
        whole_(exec, a) {
    const int n = static_cast<int>(a.num_global_rows());
    // (Rows where the inverse takes columns: it has the transposed matrix, and returns rows of the inverse as columns.)
    const auto all = a.comm().is_alone() ? own : a.comm().all_gather(own);
    a.comm().together([&] {
      const std::vector<double> inverse = inverse_of_dense(all, n);
      const auto here = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, inverse_);
      for (std::int64_t row = 0; row < a.num_rows(); ++row) {
        const double* const column = inverse.data() + (a.first_row() + row) * n;
        for (int i = 0; i < n; ++i) here(i, row) = static_cast<Scalar>(column[i]);
      }
      Kokkos::deep_copy(exec, inverse_, here);
      exec.fence("ashlar::amg: the inverse of the coarsest matrix");
    });
  }

  /// x := A^-1 b. Enqueued on `exec`; no fence, no allocation. Over ranks it waits for b as HaloExchange does.
  template <execution_space Exec>
  void solve(const Exec& exec, const Vector& own_b, const Vector& x) const {
    const auto inverse = inverse_;
    const Vector b = whole_.of(exec, own_b);
    const int n = static_cast<int>(b.extent(0));
    using Policy = Kokkos::TeamPolicy<Exec>;
    const auto row = KOKKOS_LAMBDA(const typename Policy::member_type& team) {
      const int i = team.league_rank();
      double sum = 0;
      // (Column i holds row i of the inverse: neighbouring threads read neighbouring entries.)
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, n), [&](int j, double& part) { part += double(inverse(j, i)) * double(b(j)); },
          sum);
      Kokkos::single(Kokkos::PerTeam(team), [&] { x(i) = static_cast<Scalar>(sum); });
    };
    Kokkos::parallel_for("ashlar::amg[dense inverse]",
                         Policy(exec, static_cast<int>(x.extent(0)), is_gpu_v<Exec> ? 64 : 1), row);
  }

  const WholeVector<A>& whole() const { return whole_; }

 private:
  using Inverse = Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename Vector::memory_space>;

  Inverse inverse_;  ///< a column for each own row
  WholeVector<A> whole_;
};

}  // namespace ashlar::amg
