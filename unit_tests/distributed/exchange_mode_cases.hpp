#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "distributed/solver_cases.hpp"

// Sums and solves that have the same bits in every mode of exchanges.
namespace ashlar::testing {

/// Numbers whose sum over ranks depends on the order.
inline double share(int rank, int k) { return (rank % 2 == 0 ? 1e16 : -1e16) + rank + 0.1 * k; }

inline DistributedOptions in_mode(ExchangeMode mode, Decomposition decomposition, bool overlap = true) {
  DistributedOptions options = with(decomposition, HaloForm::automatic, overlap);
  options.exchange = mode;
  return options;
}

struct Solved {
  SolveReport report;
  std::vector<double> x;
};

/// Of the beam, on all ranks of `comm`.
inline Solved solve_in(ExchangeMode mode, const Communicator& comm, Form form, Kind kind, Decomposition decomposition) {
  const Beam beam(comm.size());
  const Exec exec = instance_of_rank();
  const auto rows = beam.rows(comm.rank());
  const DistributedOperator<Matrix> a(exec, comm, beam.partition,
                                      problems::cantilever_matrix<Matrix>(exec, beam.problem, rows),
                                      in_mode(mode, decomposition));
  EXPECT_EQ(a.exchange_mode(), mode);
  EXPECT_EQ(a.space().is_stream_ordered(),
            mode == ExchangeMode::stream || (is_gpu_v<Exec> && mode == ExchangeMode::kernel));
  const auto b = problems::cantilever_load<double, Space>(exec, beam.problem, rows);
  const Vector x("x", b.extent(0));
  const AnyM m = preconditioner_of(exec, a.own_matrix(), kind);
  const SolveReport report = solve_by(form, exec, AnyOp(a), m, b, x);
  EXPECT_EQ(a.waited_seconds() > 0, mode == ExchangeMode::blocking);
  return {report, to_host(x)};
}

}  // namespace ashlar::testing
