// Solves have the same bits whichever mode of exchanges is taken, by itself or as asked for.
#include <gtest/gtest.h>

#include <vector>

#include "distributed/solver_cases.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

struct Solved {
  ExchangeMode mode;
  std::vector<double> history, x;
};

Solved solved(ExchangeMode wanted, Form form) {
  const Beam beam(world().size());
  const Exec exec = instance_of_rank();
  const auto rows = beam.rows(world().rank());
  DistributedOptions options;
  options.exchange = wanted;
  const DistributedOperator<Matrix> a(exec, world(), beam.partition,
                                      problems::cantilever_matrix<Matrix>(exec, beam.problem, rows), options);
  const auto b = problems::cantilever_load<double, Space>(exec, beam.problem, rows);
  const Vector x("test::x", b.extent(0));
  const SolveReport report =
      solve_by(form, exec, AnyOp(a), preconditioner_of(exec, a.own_matrix(), Kind::block_jacobi), b, x);
  EXPECT_EQ(report.status, SolveStatus::converged);
  // Exchanges for other numbers of vectors are made later, and go as the first one.
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> xs("test::xs", b.extent(0), 3),
      ys("test::ys", b.extent(0), 3);
  a.apply(exec, xs, ys);
  exec.fence();
  if (world().size() > 1) {
    const std::string in_mode = "in mode " + std::string(to_string(a.exchange_mode()));
    std::size_t exchanges = 0;
    const std::string told = a.explain();
    for (std::size_t at = told.find(in_mode); at != std::string::npos; at = told.find(in_mode, at + 1)) ++exchanges;
    EXPECT_EQ(exchanges, 2U) << told;
  }
  return {a.exchange_mode(), report.residual_history, to_host(x)};
}

TEST(AutomaticModeOverMpi, SolvesToTheBitAsAllOthers) {
  if (is_gpu_v<Exec>) GTEST_SKIP() << "what GPUs can do depends on the machine";
  for (const Form form : {Form::standard, Form::single_reduction, Form::pipelined}) {
    const Solved automatic = solved(ExchangeMode::automatic, form);
    for (const ExchangeMode mode : {ExchangeMode::blocking, ExchangeMode::kernel}) {
      const Solved other = solved(mode, form);
      EXPECT_EQ(automatic.history, other.history);
      EXPECT_EQ(automatic.x, other.x);
    }
    for (const int mode : world().all_gather(int(automatic.mode))) EXPECT_EQ(mode, int(automatic.mode));
  }
}

}  // namespace
}  // namespace ashlar::testing
