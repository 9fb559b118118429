// The solvers over ranks: the same code, the same iterations, the same bits on all ranks.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "distributed/solver_cases.hpp"

namespace ashlar::testing {
namespace {

TEST(DistributedSolvers, SolveAsOnOneRank) {
  for (const Form form : {Form::standard, Form::single_reduction, Form::pipelined}) {
    for (const Kind kind : {Kind::none, Kind::jacobi, Kind::block_jacobi}) {
      const SerialSolve serial = solve_serially(form, Beam(1), kind);
      ASSERT_EQ(serial.report.status, SolveStatus::converged);
      for (const int ranks : {1, 2, 3, 4}) {
        for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
          run_ranks(ranks, [&](Communicator& comm) {
            expect_solved_as(serial, comm, Beam(ranks), form, kind, with(decomposition, HaloForm::automatic));
          });
        }
      }
    }
  }
}

TEST(DistributedSolvers, InEveryWayToExchange) {
  const SerialSolve serial = solve_serially(Form::standard, Beam(1), Kind::block_jacobi);
  ThreadRanksOptions late;
  late.max_delay = std::chrono::microseconds(50);
  late.rendezvous = true;
  for (const DistributedOptions& way : all_ways()) {
    run_ranks(
        3,
        [&](Communicator& comm) { expect_solved_as(serial, comm, Beam(3), Form::standard, Kind::block_jacobi, way); },
        late);
  }
}

TEST(DistributedSolvers, WithRanksThatHaveNothingOrOneRow) {
  for (const Form form : {Form::standard, Form::single_reduction, Form::pipelined}) {
    const SerialSolve serial = solve_serially(form, Beam(1), Kind::block_jacobi);
    for (const auto& counts : {std::vector<std::int64_t>{0, 108, 0}, {1, 0, 106, 1}, {107, 1}}) {
      const Beam beam(sizes(counts));
      run_ranks(static_cast<int>(counts.size()),
                [&](Communicator& comm) { expect_solved_as(serial, comm, beam, form, Kind::block_jacobi, {}); });
    }
  }
}

// In all of them the residuals have the same bits; x is the same to rounding, and as the solve ends, whole.
TEST(DistributedSolvers, UpdateXWhenTheyAreTold) {
  const SerialSolve serial = solve_serially(Form::standard, Beam(1), Kind::jacobi);
  for (const int ranks : {1, 3}) {
    run_ranks(ranks, [&](Communicator& comm) {
      const Exec exec = instance_of_rank();
      const Beam beam(ranks);
      const auto rows = beam.rows(comm.rank());
      const DistributedOperator<Matrix> a(exec, comm, beam.partition,
                                          problems::cantilever_matrix<Matrix>(exec, beam.problem, rows));
      const JacobiPreconditioner<Matrix> m(exec, a.own_matrix());
      const auto b = problems::cantilever_load<double, Space>(exec, beam.problem, rows);
      // Also where the limit comes first.
      for (const int limit : {10000, 17}) {
        std::vector<double> history, first;
        for (const CgXUpdate update : {CgXUpdate::with_direction, CgXUpdate::under_reduction,
                                       CgXUpdate::before_reduction, CgXUpdate::automatic}) {
          const Vector x("x", b.extent(0));
          // (In one form: what one rank may take of its own adds up in another order.)
          const SolveReport report =
              cg(exec, a, m, b, x, {.max_iterations = limit, .launch = CgLaunch::one_by_one, .x_update = update});
          if (limit > 17) {
            EXPECT_EQ(report.status, SolveStatus::converged);
            EXPECT_LE(report.relative_residual, 1e-8);
          } else {
            EXPECT_EQ(report.status, SolveStatus::iteration_limit);
            // The true residual is of the x in hand: it has all 17 steps.
            EXPECT_NEAR(report.relative_residual, report.residual_history.back(), 1e-10);
          }
          if (history.empty()) history = report.residual_history, first = to_host(x);
          EXPECT_EQ(report.residual_history, history);
          expect_near(to_host(x), first, 1e-12);
        }
      }
    });
  }
}

TEST(DistributedSolvers, BlockCg) {
  const int s = 4;
  using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  const Beam whole(1);
  // Columns of which one depends on two others, and one is 0.
  const int n = 3 * Beam::num_nodes();
  std::vector<std::vector<double>> columns(s);
  for (int j = 0; j < 2; ++j) columns[j] = random_vector<double>(n, 5 + j);
  columns[2].assign(n, 0.0);
  for (int i = 0; i < n; ++i) columns[3].push_back(columns[0][i] - 2 * columns[1][i]);
  const auto block_of = [&](const RowPartition& partition, int rank) {
    const Block block("b", 3 * partition.size(rank), s);
    const auto host = Kokkos::create_mirror_view(block);
    for (int j = 0; j < s; ++j) {
      const auto part = part_of(columns[j], partition, rank, 3);
      for (std::size_t i = 0; i < part.size(); ++i) host(i, j) = part[i];
    }
    Kokkos::deep_copy(block, host);
    return block;
  };
  const auto column = [](const Block& block, int j) {
    const Vector copy("column", block.extent(0));
    Kokkos::deep_copy(copy, Kokkos::subview(block, Kokkos::ALL, j));
    return to_host(copy);
  };
  for (const Kind kind : {Kind::none, Kind::block_jacobi}) {
    const Exec exec = instance_of_rank();
    const auto matrix = problems::cantilever_matrix<Matrix>(exec, whole.problem);
    const Block expected("x", n, s);
    const auto serial = block_cg(exec, AnyOp(BcsrOperator<Matrix>(exec, matrix)), preconditioner_of(exec, matrix, kind),
                                 block_of(whole.partition, 0), expected);
    ASSERT_EQ(serial.status, SolveStatus::converged);
    for (const int ranks : {2, 3}) {
      for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
        run_ranks(ranks, [&](Communicator& comm) {
          const Exec mine = instance_of_rank();
          const Beam beam(ranks);
          DistributedOptions options = with(decomposition, HaloForm::automatic);
          options.spmv.num_vectors = s;
          const DistributedOperator<Matrix> a(
              mine, comm, beam.partition,
              problems::cantilever_matrix<Matrix>(mine, beam.problem, beam.rows(comm.rank())), options);
          const Block x("x", 3 * beam.partition.size(comm.rank()), s);
          const auto report = block_cg(mine, AnyOp(a), preconditioner_of(mine, a.own_matrix(), kind),
                                       block_of(beam.partition, comm.rank()), x);
          EXPECT_EQ(report.status, SolveStatus::converged);
          EXPECT_LE(std::abs(report.iterations - serial.iterations), 1);
          for (int j = 0; j < s; ++j) {
            expect_same_history(report.columns[j].residual_history, serial.columns[j].residual_history);
            const auto whole_column = part_of(column(expected, j), beam.partition, comm.rank(), 3);
            if (j == 2) {
              EXPECT_EQ(column(x, j), whole_column);
            } else {
              expect_near(column(x, j), whole_column, 1e-5);
            }
          }
        });
      }
    }
  }
}

TEST(DistributedSolvers, Refinement) {
  using Low = BcsrMatrix<float>;
  const int nx = 8, ny = 5, nz = 4, block_size = 2, n = nx * ny * nz;
  const auto load = random_vector<double>(n * block_size, 1);
  const Exec exec = instance_of_rank();
  const auto matrix = problems::stencil11<Matrix>(exec, nx, ny, nz, block_size);
  const Vector expected("x", load.size());
  const RefinementReport serial =
      refined_cg(exec, BcsrOperator<Matrix>(exec, matrix),
                 BcsrOperator<Low>(exec, convert_values<float>(exec, matrix), {.double_vectors = true}),
                 preconditioner_of(exec, matrix, Kind::jacobi), to_device<Space>(load), expected);
  ASSERT_EQ(serial.status, SolveStatus::converged);
  for (const int ranks : {2, 3}) {
    run_ranks(ranks, [&](Communicator& comm) {
      const Exec mine = instance_of_rank();
      const RowPartition partition = RowPartition::even(n, ranks);
      const problems::RowRange range{partition.begin(comm.rank()), partition.end(comm.rank())};
      const auto rows = problems::stencil11<Matrix>(mine, nx, ny, nz, block_size, range);
      DistributedOptions of_low;
      of_low.spmv.double_vectors = true;
      const DistributedOperator<Matrix> a(mine, comm, partition, rows);
      const DistributedOperator<Low> low(mine, comm, partition, convert_values<float>(mine, rows), of_low);
      const Vector b = to_device<Space>(part_of(load, partition, comm.rank(), block_size));
      const Vector x("x", b.extent(0));
      const RefinementReport report =
          refined_cg(mine, a, low, preconditioner_of(mine, a.own_matrix(), Kind::jacobi), b, x);
      EXPECT_EQ(report.status, SolveStatus::converged);
      EXPECT_LE(report.relative_residual, 1e-12);
      EXPECT_LE(std::abs(report.iterations - serial.iterations), 1);
      EXPECT_EQ(report.steps, serial.steps);
      expect_near(to_host(x), part_of(to_host(expected), partition, comm.rank(), block_size), 1e-11);
    });
  }
}

/// Iterations in floats. Each rank computes other parts of the residuals: rounds and iterations are the same on all,
/// because every decision is made by sums over all ranks.
TEST(DistributedSolvers, RefinementInFloatsTakesTheSameRoundsOnAllRanks) {
  using Low = BcsrMatrix<float>;
  const int nx = 8, ny = 5, nz = 4, block_size = 2, n = nx * ny * nz;
  const auto load = random_vector<double>(n * block_size, 1);
  constexpr double rtol = 1e-11;
  for (const auto& counts : {std::vector<std::int64_t>{80, 80}, {1, 159}, {53, 0, 107}, {40, 20, 60, 40}}) {
    const RowPartition partition(sizes(counts));
    ThreadRanksOptions late;
    late.max_delay = std::chrono::microseconds(50);
    run_ranks(
        static_cast<int>(counts.size()),
        [&](Communicator& comm) {
          const Exec mine = instance_of_rank();
          const problems::RowRange range{partition.begin(comm.rank()), partition.end(comm.rank())};
          const auto rows = problems::stencil11<Matrix>(mine, nx, ny, nz, block_size, range);
          const DistributedOperator<Matrix> a(mine, comm, partition, rows);
          const DistributedOperator<Low> low(mine, comm, partition, convert_values<float>(mine, rows));
          const BlockJacobiPreconditioner<Low> m(mine, low.own_matrix());
          const Vector b = to_device<Space>(part_of(load, partition, comm.rank(), block_size)), x("x", b.extent(0));
          const RefinementReport report = refined_cg<float>(mine, a, low, m, b, x, {.rtol = rtol});
          EXPECT_EQ(report.status, SolveStatus::converged);
          EXPECT_GE(report.steps, 5);
          for (const int count : {report.steps, report.iterations, int(report.residual_history.size())}) {
            EXPECT_EQ(comm.max(count), count);
            EXPECT_EQ(-comm.max(-count), count);
          }
          for (const double residual : report.residual_history) {
            const std::vector<double> of_ranks = comm.all_gather(residual);
            EXPECT_EQ(of_ranks, std::vector<double>(of_ranks.size(), residual));
          }
          const Vector r("r", b.extent(0));
          a.apply(mine, x, r);
          axpby(mine, 1.0, b, -1.0, r);
          mine.fence();
          double of_r = 0, of_b = 0;
          for (const double entry : to_host(r)) of_r += entry * entry;
          for (const double entry : to_host(b)) of_b += entry * entry;
          const double residual = std::sqrt(comm.sum(of_r) / comm.sum(of_b));
          EXPECT_LE(residual, 1.01 * rtol);
          EXPECT_NEAR(residual, report.relative_residual, 1e-14);
        },
        late);
  }
}

// Two operators, hence two communicators; on each rank a thread for each solve.
TEST(DistributedSolvers, TwoSolvesAtATime) {
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
  GTEST_SKIP() << "this Kokkos has no threads, and does not count copies of views atomically";
#endif
  const SerialSolve serial = solve_serially(Form::standard, Beam(1), Kind::jacobi);
  run_ranks(3, [&](Communicator& comm) {
    const Beam beam(3);
    const auto rows = beam.rows(comm.rank());
    struct Solve {
      Exec exec = instance_of_rank();
      std::optional<DistributedOperator<Matrix>> a;
      std::optional<JacobiPreconditioner<Matrix>> m;
      Vector b, x;
      SolveReport report;
    };
    std::vector<Solve> solves(2);
    for (std::size_t i = 0; i < solves.size(); ++i) {
      Solve& s = solves[i];
      s.a.emplace(s.exec, comm, beam.partition, problems::cantilever_matrix<Matrix>(s.exec, beam.problem, rows),
                  with(i == 0 ? Decomposition::one_d : Decomposition::two_d, HaloForm::automatic));
      s.m.emplace(s.exec, s.a->own_matrix());
      s.b = problems::cantilever_load<double, Space>(s.exec, beam.problem, rows);
      s.x = Vector("x", s.b.extent(0));
      s.exec.fence();
    }
    std::vector<std::thread> threads;
    for (Solve& s : solves) threads.emplace_back([&s] { s.report = cg(s.exec, *s.a, *s.m, s.b, s.x); });
    for (std::thread& thread : threads) thread.join();
    for (const Solve& s : solves) {
      EXPECT_EQ(s.report.status, SolveStatus::converged);
      EXPECT_LE(std::abs(s.report.iterations - serial.report.iterations), 1);
      expect_near(to_host(s.x), part_of(serial.x, beam.partition, comm.rank(), 3), 1e-5);
    }
  });
}

TEST(DistributedSolvers, RefuseOnAllRanksWhatOneCannotTake) {
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const Beam beam(3);
    const auto rows = beam.rows(comm.rank());
    const DistributedOperator<Matrix> a(exec, comm, beam.partition,
                                        problems::cantilever_matrix<Matrix>(exec, beam.problem, rows));
    const IdentityPreconditioner none;
    const auto b = problems::cantilever_load<double, Space>(exec, beam.problem, rows);
    const Vector x("x", b.extent(0)), long_x("x", b.extent(0) + (comm.rank() == 1 ? 3 : 0));
    if (comm.rank() == 1) {
      expect_refused<ShapeError>("entries", [&] { cg(exec, a, none, b, long_x); });
      expect_refused<ShapeError>("entries", [&] { pipelined_cg(exec, a, none, b, long_x); });
      expect_refused<ShapeError>("entries", [&] { refined_cg(exec, a, a, none, b, long_x); });
    } else {
      expect_refused<ArgumentError>("another part", [&] { cg(exec, a, none, b, long_x); });
      expect_refused<ArgumentError>("another part", [&] { pipelined_cg(exec, a, none, b, long_x); });
      expect_refused<ArgumentError>("another part", [&] { refined_cg(exec, a, a, none, b, long_x); });
    }
    using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
    const Block bb("b", b.extent(0), comm.rank() == 2 ? 2 : 3), xx("x", b.extent(0), comm.rank() == 2 ? 2 : 3);
    expect_refused<ArgumentError>("columns", [&] { block_cg(exec, a, none, bb, xx); });
    expect_refused<ArgumentError>("rtol", [&] { cg(exec, a, none, b, x, {.rtol = comm.rank() == 0 ? 1e-8 : 1e-9}); });
    expect_refused<ArgumentError>(
        "max_iterations", [&] { single_reduction_cg(exec, a, none, b, x, {.max_iterations = 100 + comm.rank()}); });
    expect_refused<ArgumentError>("x_update", [&] {
      cg(exec, a, none, b, x,
         {.x_update = comm.rank() == 0 ? CgXUpdate::before_reduction : CgXUpdate::under_reduction});
    });
    // Squares that underflow on one rank, where the others have zeros, are none of a scaled b.
    const Vector tiny("b", b.extent(0));
    const Block tiny_block("b", b.extent(0), 2), x_block("x", b.extent(0), 2);
    if (comm.rank() == 1) {
      Kokkos::deep_copy(tiny, 1e-170);
      Kokkos::deep_copy(tiny_block, 1e-170);
    }
    EXPECT_EQ(cg(exec, a, none, tiny, x).status, SolveStatus::converged);
    EXPECT_EQ(block_cg(exec, a, none, tiny_block, x_block).status, SolveStatus::converged);
    // And what was refused before leaves nothing behind.
    EXPECT_EQ(cg(exec, a, none, b, x).status, SolveStatus::converged);
  });
}

}  // namespace
}  // namespace ashlar::testing
