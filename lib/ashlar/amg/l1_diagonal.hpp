#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/impl/add_row_sums.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>

namespace ashlar::amg {

/// The entries of a row that go to the diagonal.
enum class L1Entries {
  beside_block,  ///< all beside the diagonal block
  of_others      ///< those in columns of other ranks
};

/// The inverse of D + diag(s), where D holds the diagonal blocks of A, and s_i is the sum of |a_ij| over `entries` of
/// row i. For a symmetric positive definite A, D + diag(s) - A is positive semi-definite with all entries beside the
/// block. With entries of others, D + diag(s) takes the place of D in a sweep within ranks, which then converges.
///
/// Async    waits for `exec`. Over ranks: collective.
/// Source   Baker, Falgout, Kolev and Yang 2011.
template <execution_space Exec, class A>
auto l1_diagonal_inverse(const Exec& exec, const LevelMatrix<A>& a, L1Entries entries) {
  using Matrix = typename LevelMatrix<A>::Local;
  return a.comm().together([&] {
    const Matrix& local = a.local();
    const Matrix diagonal = diagonal_blocks(exec, local);
    if (entries == L1Entries::beside_block) impl::add_row_sums(exec, local, impl::SameRow{}, true, diagonal);
    a.add_remote_row_sums(exec, diagonal);
    return BlockJacobiPreconditioner<Matrix>(exec, diagonal);
  });
}

}  // namespace ashlar::amg
