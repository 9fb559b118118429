#pragma once

#include <gtest/gtest.h>

#include <ashlar/device/graphs/captured_work.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "distributed/solver_cases.hpp"
#include "support/watcher.hpp"

// Sums and solves that have the same bits in every mode of exchanges.
namespace ashlar::testing {

inline DistributedOptions in_mode(ExchangeMode mode, Decomposition decomposition, bool overlap = true) {
  DistributedOptions options = with(decomposition, HaloForm::automatic, overlap);
  options.exchange = mode;
  return options;
}

struct Solved {
  SolveReport report;
  std::vector<double> x;
};

/// The beam's system on all ranks of `comm`: an instance and an operator of this rank, and its part of the load.
struct BeamOfRanks {
  BeamOfRanks(const Communicator& comm, const DistributedOptions& options)
      : beam(comm.size()),
        a(exec, comm, beam.partition, problems::cantilever_matrix<Matrix>(exec, beam.problem, beam.rows(comm.rank())),
          options),
        b(problems::cantilever_load<double, Space>(exec, beam.problem, beam.rows(comm.rank()))) {}

  AnyM preconditioner(Kind kind) const { return preconditioner_of(exec, a.own_matrix(), kind); }

  Exec exec = instance_of_rank();
  Beam beam;
  DistributedOperator<Matrix> a;
  Vector b;
};

inline Solved solve_in(ExchangeMode mode, const Communicator& comm, Form form, Kind kind, Decomposition decomposition) {
  const BeamOfRanks system(comm, in_mode(mode, decomposition));
  const Exec& exec = system.exec;
  const auto& a = system.a;
  const Vector& b = system.b;
  EXPECT_EQ(a.exchange_mode(), mode);
  EXPECT_EQ(a.space().is_stream_ordered(),
            mode == ExchangeMode::stream || (is_gpu_v<Exec> && mode == ExchangeMode::kernel));
  EXPECT_EQ(a.is_capturable(), a.space().is_stream_ordered());
  EXPECT_EQ(a.space().is_capturable(), a.space().is_stream_ordered());
  const Vector x("x", b.extent(0));
  const SolveReport report = solve_by(form, exec, AnyOp(a), system.preconditioner(kind), b, x);
  EXPECT_EQ(a.waited_seconds() > 0,
            mode == ExchangeMode::blocking || (!is_gpu_v<Exec> && mode == ExchangeMode::kernel));
  return {report, to_host(x)};
}

/// How often the host waits does not depend on how many iterations an interval has: it waits between intervals alone.
inline void expect_no_wait_inside_an_interval(ExchangeMode mode, const Communicator& comm) {
  const BeamOfRanks system(comm, in_mode(mode, Decomposition::one_d));
  const Exec& exec = system.exec;
  const auto& a = system.a;
  const Vector& b = system.b;
  ASSERT_TRUE(a.is_stream_ordered());
  const AnyM m = system.preconditioner(Kind::block_jacobi);
  const auto waits = [&](int interval, CgLaunch launch) {
    const Vector x("test::x", b.extent(0));
    exec.fence();
    const Watcher watcher;
    const SolveReport report =
        cg(exec, a, m, b, x,
           {.rtol = 1e-30, .max_iterations = 2 * interval, .check_interval = interval, .launch = launch});
    EXPECT_EQ(report.iterations, 2 * interval);
    std::size_t fences = 0;
    for (const Happening& its : watcher.seen()) fences += its.kind == Happening::Kind::fence ? 1 : 0;
    return fences;
  };
  for (const CgLaunch launch : {CgLaunch::one_by_one, CgLaunch::automatic}) {
    waits(5, launch);  // the first solve makes what those after it have
    EXPECT_EQ(waits(20, launch), waits(5, launch)) << to_string(mode);
  }
}

/// CG whose iterations are replayed by a device's graph has the bits of CG that is enqueued. (Where nothing is
/// captured, both are enqueued.)
inline void expect_replays_to_the_bit(ExchangeMode mode, const Communicator& comm) {
  const BeamOfRanks system(comm, in_mode(mode, Decomposition::one_d));
  const Exec& exec = system.exec;
  const auto& a = system.a;
  const Vector& b = system.b;
  const AnyM m = system.preconditioner(Kind::block_jacobi);
  for (const Form form : {Form::standard, Form::single_reduction, Form::pipelined}) {
    const auto solved = [&](CgLaunch launch) {
      const Vector x("x", b.extent(0));
      const std::int64_t before = a.halo_figures().exchanges;
      const SolveReport report = solve_by(form, exec, AnyOp(a), m, b, x, {.check_interval = 5, .launch = launch});
      EXPECT_EQ(a.halo_figures().exchanges - before, comm.is_alone() ? 0 : report.products);
      return Solved{report, to_host(x)};
    };
    const bool captures = CapturedWork<Exec>::can_capture(exec);
    const Solved enqueued = solved(CgLaunch::one_by_one),
                 replayed = solved(captures ? CgLaunch::graph : CgLaunch::one_by_one);
    EXPECT_EQ(replayed.report.launch.substr(0, 7), captures ? "a graph" : "kernel ");
    EXPECT_EQ(replayed.report.status, SolveStatus::converged);
    EXPECT_EQ(replayed.report.residual_history, enqueued.report.residual_history);
    EXPECT_EQ(replayed.x, enqueued.x);
  }
}

}  // namespace ashlar::testing
