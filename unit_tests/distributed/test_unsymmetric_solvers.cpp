// GMRES, BiCGStab and MINRES over ranks: as on one rank to rounding, and the same bits on all ranks.
#include <gtest/gtest.h>

#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "distributed/rank_parts.hpp"

namespace ashlar::testing {
namespace {

using Matrix = BcsrMatrix<double>;
using Vector = Kokkos::View<double*, Space>;
using M = BlockJacobiPreconditioner<Matrix>;
constexpr int num_block_rows = 61, block_size = 2;

/// Rows of convection and diffusion on a line, with a link to the row 9 further on; or of a symmetric indefinite matrix
/// with the same pattern. Row 0 is the first of this part.
struct Line {
  std::int64_t first;
  bool is_symmetric;

  KOKKOS_FUNCTION int operator()(std::int32_t i) const {
    const std::int64_t row = first + i;
    return 1 + (row > 8) + (row > 0) + (row + 1 < num_block_rows) + (row + 9 < num_block_rows);
  }
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    const std::int64_t here = first + i;
    int k = 0;
    for (const int offset : {-9, -1, 0, 1, 9}) {
      const std::int64_t column = here + offset;
      if (column < 0 || column >= num_block_rows) continue;
      row.column(k) = static_cast<std::int32_t>(column);
      for (int r = 0; r < block_size; ++r) {
        for (int c = 0; c < block_size; ++c) row.value(k, r, c) = value(here, offset, r, c);
      }
      ++k;
    }
  }
  KOKKOS_FUNCTION double value(std::int64_t row, int offset, int r, int c) const {
    if (offset == 0) return r != c ? 0.25 : is_symmetric ? (r == 0 ? 4 : -3) + 0.01 * double(row) : 4 + 0.2 * r;
    if (is_symmetric) return r == c ? -0.6 : 0.1;
    return (offset < 0 ? -1.4 : -0.3) * (r == c ? 1 : 0.2 * (r + 1));
  }
};

Matrix rows_of(const Exec& exec, std::int64_t begin, std::int64_t end, bool is_symmetric) {
  const Line line{begin, is_symmetric};
  return build_by_rows<Matrix>(exec, block_size, static_cast<std::int32_t>(end - begin), num_block_rows, line, line);
}

enum class Solver { gmres, fgmres, bicgstab, minres };

template <class Op>
SolveReport solve_by(Solver solver, const Exec& exec, const Op& a, const M& m, const Vector& b, const Vector& x) {
  switch (solver) {
    case Solver::gmres:
      return gmres(exec, a, m, b, x, {.restart = 6});
    case Solver::fgmres:
      return fgmres(exec, a, m, b, x, {.restart = 50});
    case Solver::bicgstab:
      return bicgstab(exec, a, m, b, x);
    case Solver::minres:
      break;
  }
  // (The preconditioner is the other matrix's: block-Jacobi of an indefinite matrix is indefinite.)
  return minres(exec, a, m, b, x);
}

TEST(UnsymmetricSolversOverRanks, SolveAsOnOneRank) {
  const auto load = random_vector<double>(num_block_rows * block_size, 1);
  ThreadRanksOptions late;
  late.max_delay = std::chrono::microseconds(50);
  for (const Solver solver : {Solver::gmres, Solver::fgmres, Solver::bicgstab, Solver::minres}) {
    const bool is_symmetric = solver == Solver::minres;
    const Exec exec = instance_of_rank();
    const BcsrOperator<Matrix> whole(exec, rows_of(exec, 0, num_block_rows, is_symmetric));
    const M of_whole(exec, rows_of(exec, 0, num_block_rows, false));
    const Vector expected("x", load.size());
    const SolveReport serial = solve_by(solver, exec, whole, of_whole, to_device<Space>(load), expected);
    ASSERT_EQ(serial.status, SolveStatus::converged);
    ASSERT_GT(serial.iterations, 6);
    const std::vector<double> solution = to_host(expected);
    for (const auto& counts : {std::vector<std::int64_t>{61}, {30, 31}, {20, 0, 41}, {1, 25, 25, 10}}) {
      const RowPartition partition(sizes(counts));
      run_ranks(
          static_cast<int>(counts.size()),
          [&](Communicator& comm) {
            SCOPED_TRACE("solver " + std::to_string(int(solver)) + ", rank " + std::to_string(comm.rank()) + " of " +
                         std::to_string(comm.size()));
            const Exec mine = instance_of_rank();
            const std::int64_t begin = partition.begin(comm.rank()), end = partition.end(comm.rank());
            const DistributedOperator<Matrix> a(mine, comm, partition, rows_of(mine, begin, end, is_symmetric));
            const DistributedOperator<Matrix> other(mine, comm, partition, rows_of(mine, begin, end, false));
            const M m(mine, other.own_matrix());
            const Vector b = to_device<Space>(part_of(load, partition, comm.rank(), block_size)), x("x", b.extent(0));
            const SolveReport report = solve_by(solver, mine, a, m, b, x);
            EXPECT_EQ(report.status, SolveStatus::converged);
            EXPECT_LE(report.relative_residual, 1e-8);
            EXPECT_LE(std::abs(report.iterations - serial.iterations), 1);
            for (std::size_t k = 0; k < serial.residual_history.size() / 2; ++k) {
              EXPECT_NEAR(report.residual_history[k], serial.residual_history[k], 1e-6 * serial.residual_history[k]);
            }
            EXPECT_LE(max_difference(to_host(x), part_of(solution, partition, comm.rank(), block_size)), 1e-6);
            const std::vector<double> residuals = comm.all_gather(report.relative_residual);
            EXPECT_EQ(residuals, std::vector<double>(residuals.size(), residuals[0]));
          },
          late);
    }
  }
}

TEST(UnsymmetricSolversOverRanks, RefuseWhatRanksAskForDifferently) {
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const RowPartition partition = RowPartition::even(num_block_rows, 2);
    const DistributedOperator<Matrix> a(exec, comm, partition,
                                        rows_of(exec, partition.begin(comm.rank()), partition.end(comm.rank()), false));
    const M m(exec, a.own_matrix());
    const Vector b("b", a.space().num_local()), x("x", b.extent(0));
    EXPECT_THROW(gmres(exec, a, m, b, x, {.restart = 30 + comm.rank()}), ArgumentError);
  });
}

}  // namespace
}  // namespace ashlar::testing
