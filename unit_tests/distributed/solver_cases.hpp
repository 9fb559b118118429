#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/iterative_refinement.hpp>
#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <string>
#include <vector>

#include "distributed/rank_parts.hpp"

// Solves over ranks, each compared with the solve on one.

namespace ashlar::testing {

using Matrix = BcsrMatrix<double>;
using Vector = Kokkos::View<double*, Space>;
using AnyOp = AnyOperator<double, Exec>;
using AnyM = AnyPreconditioner<double, Exec>;

/// A beam whose rows each rank builds by itself.
struct Beam {
  problems::Cantilever problem{.nodes = {9, 4, 3}, .dof = 3, .weight = 0.01};
  RowPartition partition;

  explicit Beam(RowPartition of_nodes) : partition(std::move(of_nodes)) {}
  explicit Beam(int ranks) : partition(RowPartition::even(num_nodes(), ranks)) {}

  static constexpr int num_nodes() { return 9 * 4 * 3; }
  problems::RowRange rows(int rank) const { return {partition.begin(rank), partition.end(rank)}; }
};

enum class Form { standard, single_reduction, pipelined };
enum class Kind { none, jacobi, block_jacobi };

inline AnyM preconditioner_of(const Exec& exec, const Matrix& matrix, Kind kind) {
  if (kind == Kind::jacobi) return AnyM(JacobiPreconditioner<Matrix>(exec, matrix));
  if (kind == Kind::block_jacobi) return AnyM(BlockJacobiPreconditioner<Matrix>(exec, matrix));
  return AnyM(IdentityPreconditioner());
}

inline SolveReport solve_by(Form form, const Exec& exec, const AnyOp& a, const AnyM& m, const Vector& b,
                            const Vector& x, const CgOptions& options = {}) {
  if (form == Form::single_reduction) return single_reduction_cg(exec, a, m, b, x, options);
  if (form == Form::pipelined) return pipelined_cg(exec, a, m, b, x, options);
  return cg(exec, a, m, b, x, options);
}

struct SerialSolve {
  SolveReport report;
  std::vector<double> x;
};

inline SerialSolve solve_serially(Form form, const Beam& beam, Kind kind, const CgOptions& options = {}) {
  const Exec exec = instance_of_rank();
  const auto matrix = problems::cantilever_matrix<Matrix>(exec, beam.problem);
  const auto b = problems::cantilever_load<double, Space>(exec, beam.problem);
  const Vector x("x", b.extent(0));
  const AnyOp a{BcsrOperator<Matrix>(exec, matrix)};
  const SolveReport report = solve_by(form, exec, a, preconditioner_of(exec, matrix, kind), b, x, options);
  return {report, to_host(x)};
}

/// That a history is another's but for rounding, which CG makes grow: in the first third of the iterations.
inline void expect_same_history(const std::vector<double>& history, const std::vector<double>& expected) {
  ASSERT_GE(history.size(), expected.size() / 3);
  for (std::size_t k = 0; k < expected.size() / 3; ++k) {
    EXPECT_NEAR(history[k], expected[k], 1e-6 * expected[k]) << "iteration " << k;
  }
}

inline void expect_near(const std::vector<double>& x, const std::vector<double>& expected, double tolerance) {
  double largest = 0;
  for (const double entry : expected) largest = std::max(largest, std::abs(entry));
  EXPECT_LE(max_difference(x, expected), tolerance * largest);
}

/// Solves for the beam on all ranks of `comm`, and compares with `serial`, the solve on one.
inline void expect_solved_as(const SerialSolve& serial, const Communicator& comm, const Beam& beam, Form form,
                             Kind kind, const DistributedOptions& way, const CgOptions& options = {}) {
  SCOPED_TRACE(name_of(way) + ", form " + std::to_string(int(form)) + ", preconditioner " + std::to_string(int(kind)) +
               ", rank " + std::to_string(comm.rank()) + " of " + std::to_string(comm.size()));
  const Exec exec = instance_of_rank();
  const auto rows = beam.rows(comm.rank());
  const DistributedOperator<Matrix> a(exec, comm, beam.partition,
                                      problems::cantilever_matrix<Matrix>(exec, beam.problem, rows), way);
  const auto b = problems::cantilever_load<double, Space>(exec, beam.problem, rows);
  const Vector x("x", b.extent(0));
  const AnyM m = preconditioner_of(exec, a.own_matrix(), kind);
  const SolveReport report = solve_by(form, exec, AnyOp(a), m, b, x, options);
  EXPECT_EQ(report.status, serial.report.status);
  EXPECT_LE(std::abs(report.iterations - serial.report.iterations), form == Form::standard ? 2 : 3);
  EXPECT_LE(report.relative_residual, options.rtol);
  expect_same_history(report.residual_history, serial.report.residual_history);
  expect_near(to_host(x), part_of(serial.x, beam.partition, comm.rank(), 3), 1e-5);
  // All ranks have ended alike, to the bit.
  const std::vector<double> residuals = comm.all_gather(report.relative_residual);
  EXPECT_EQ(residuals, std::vector<double>(residuals.size(), residuals[0]));
}

}  // namespace ashlar::testing
