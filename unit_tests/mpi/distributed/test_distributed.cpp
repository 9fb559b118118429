#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "distributed/delay_cases.hpp"
#include "distributed/exchange_mode_cases.hpp"
#include "distributed/product_cases.hpp"
#include "distributed/tangle.hpp"
#include "support/host_streams.hpp"
#include "support/mpi_world.hpp"
#include "support/rank_sums.hpp"
#include "support/watcher.hpp"

namespace ashlar::testing {
namespace {

TEST(DistributedOverMpi, MultipliesAsTheSerialProduct) {
  for (const int b : {1, 3}) {
    for (const ProductCase& test : product_cases(world().size(), b)) {
      for (const DistributedOptions& way : all_ways()) expect_right_product(world(), test, way);
    }
  }
}

TEST(DistributedOverMpi, SolvesAsOnOneRank) {
  for (const Form form : {Form::standard, Form::single_reduction, Form::pipelined}) {
    for (const Kind kind : {Kind::none, Kind::jacobi, Kind::block_jacobi}) {
      const SerialSolve serial = solve_serially(form, Beam(1), kind);
      for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
        expect_solved_as(serial, world(), Beam(world().size()), form, kind, with(decomposition, HaloForm::automatic));
      }
    }
  }
}

TEST(DistributedOverMpi, SumsByKernels) {
  const Exec exec = instance_of_rank();
  const DistributedSpace<Exec> space(exec, world(), 1, ExchangeMode::kernel);
  for (int round = 0; round < 200; ++round) {
    const int count = 1 + round % 70;
    const auto sums = to_device<Space>(shares(world().rank(), count, round));
    space.sum_begin(exec, sums);
    space.sum_end(exec, sums);
    ASSERT_EQ(to_host(sums), shares_in_rank_order(world().size(), count, round)) << "round " << round;
  }
}

TEST(DistributedOverMpi, SolvesByKernelsThatWriteToOtherRanks) {
  const SerialSolve serial = solve_serially(Form::standard, Beam(1), Kind::block_jacobi);
  for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
    DistributedOptions options = with(decomposition, HaloForm::automatic);
    options.exchange = ExchangeMode::kernel;
    for (const CgLaunch launch : {CgLaunch::automatic, CgLaunch::one_by_one}) {
      expect_solved_as(serial, world(), Beam(world().size()), Form::standard, Kind::block_jacobi, options,
                       {.launch = launch});
    }
  }
}

// The kernels of all ranks iterate as one: as kernels one by one do, the same bits each time, and from one solve to the
// next. The larger beam has more than multiprocessors keep.
TEST(DistributedOverMpi, IteratesInOneKernelOfEachRank) {
  if (!is_gpu_v<Exec> || world().size() == 1 || world().size() > Kokkos::num_devices()) {
    GTEST_SKIP() << "ranks with a device each iterate so";
  }
  const Exec exec = instance_of_rank();
  for (const int dof : {1, 3}) {
    if (!is_compiled_block_size(dof)) continue;
    for (const int length : {9, 80 * world().size()}) {
      const problems::Cantilever problem{.nodes = {length, length > 9 ? 40 : 4, length > 9 ? 40 : 3}, .dof = dof};
      const RowPartition partition =
          RowPartition::even(problem.nodes[0] * problem.nodes[1] * problem.nodes[2], world().size());
      const int rank = world().rank();
      const auto rows = problems::cantilever_matrix<Matrix>(
          exec, problem, problems::RowRange{partition.begin(rank), partition.end(rank)});
      for (const HaloForm form : {HaloForm::packed, HaloForm::contiguous, HaloForm::whole}) {
        SCOPED_TRACE(text(dof, " unknowns a node, length ", length, ", halo ", to_string(form)));
        DistributedOptions options = with(Decomposition::one_d, form);
        options.exchange = ExchangeMode::kernel;
        const DistributedOperator<Matrix> a(exec, world(), partition, rows, options);
        const Vector b("test::b", a.space().num_local());
        Kokkos::deep_copy(b, 1.0);
        for (const Kind kind : {Kind::none, Kind::jacobi, Kind::block_jacobi}) {
          const AnyM m = preconditioner_of(exec, a.own_matrix(), kind);
          const auto solved = [&](CgLaunch launch, std::vector<double>& answer, int check_interval = 0) {
            const Vector x("test::x", a.space().num_local());
            const SolveReport report =
                cg(exec, a, m, b, x,
                   {.rtol = 0, .max_iterations = 24, .check_interval = check_interval, .launch = launch});
            answer = to_host(x);
            return report;
          };
          std::vector<double> one_by_one, first, again;
          const SolveReport expected = solved(CgLaunch::one_by_one, one_by_one);
          const SolveReport found = solved(CgLaunch::persistent, first);
          EXPECT_THAT(found.launch, ::testing::HasSubstr(text("with those of ", world().size(), " ranks")));
          EXPECT_TRUE(found.iterates_in_kernel && !expected.iterates_in_kernel);
          if (length > 9) {
            EXPECT_THAT(found.launch, ::testing::HasSubstr(dof == 1 ? "by diagonals of slices" : "by slices"));
          }
          ASSERT_EQ(found.residual_history.size(), expected.residual_history.size());
          for (std::size_t k = 0; k < expected.residual_history.size(); ++k) {
            ASSERT_NEAR(found.residual_history[k], expected.residual_history[k],
                        1e-7 * expected.residual_history[k] + 1e-12);
          }
          EXPECT_NEAR(found.relative_residual, expected.relative_residual, 1e-6 * expected.relative_residual + 1e-12);
          for (int round = 0; round < 6; ++round) {
            solved(CgLaunch::automatic, again, round % 2 == 0 ? 0 : 7);  // one launch, or several
            EXPECT_EQ(again, first) << "round " << round;
          }
        }
      }
    }
  }
}

/// Solves with a tangle of so many rows on each rank, launched as `launch` says; where each has a device, in one kernel
/// of each, which tells that it multiplies as `how` says.
void expect_solves_tangle(const Exec& exec, int b, std::int64_t of_rank, std::int64_t cut, CgLaunch launch,
                          const std::string& how) {
  const int ranks = world().size(), rank = world().rank();
  const std::int64_t all = of_rank * ranks;
  SCOPED_TRACE(text("b = ", b, ", rows before ", cut, " of ", all));
  const RowPartition partition = RowPartition::even(all, ranks);
  const auto rows =
      tangle_matrix<Matrix>(exec, Tangle{all, cut}, b, problems::RowRange{partition.begin(rank), partition.end(rank)});
  const auto solved = [&](ExchangeMode mode, CgLaunch launched, std::vector<double>& answer) {
    DistributedOptions options = with(Decomposition::one_d, HaloForm::packed);
    options.exchange = mode;
    const DistributedOperator<Matrix> a(exec, world(), partition, rows, options);
    const Vector right("test::b", a.space().num_local()), x("test::x", a.space().num_local());
    Kokkos::deep_copy(right, 1.0);
    const SolveReport report =
        cg(exec, a, IdentityPreconditioner(), right, x, {.rtol = 0, .max_iterations = 20, .launch = launched});
    answer = to_host(x);
    return report;
  };
  std::vector<double> expected, found, again;
  const SolveReport plain = solved(ExchangeMode::blocking, CgLaunch::one_by_one, expected);
  const SolveReport report = solved(ExchangeMode::automatic, launch, found);
  if (is_gpu_v<Exec> && ranks > 1 && ranks <= Kokkos::num_devices()) {
    EXPECT_TRUE(report.iterates_in_kernel) << report.launch;
    EXPECT_THAT(report.launch, ::testing::HasSubstr(how));
  }
  double largest = 0;
  for (const double entry : expected) largest = std::max(largest, std::abs(entry));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-9 * largest) << i;
  EXPECT_NEAR(report.relative_residual, plain.relative_residual, 1e-6 * plain.relative_residual + 1e-12);
  solved(ExchangeMode::automatic, launch, again);
  if (report.iterates_in_kernel) {
    EXPECT_EQ(again, found) << "the same bits";
  }
}

// Where ranks meet rows have from 1 to 20 blocks in others' columns, in any order; in the second case the last rank has
// none.
TEST(DistributedOverMpi, IteratesWhereColumnsLieApart) {
  const Exec exec = instance_of_rank();
  for (const int b : {1, 3}) {
    if (!is_compiled_block_size(b)) continue;
    // (On a GPU more than multiprocessors keep.)
    const std::int64_t of_rank = is_gpu_v<Exec> ? (b == 1 ? 240000 : 40000) : 3000, all = of_rank * world().size();
    for (const std::int64_t cut : {all, all - of_rank}) {
      expect_solves_tangle(exec, b, of_rank, cut, CgLaunch::automatic, "by slices");
    }
  }
}

// Thread blocks then take slices alternately, so that each has rows from all over its rank.
TEST(DistributedOverMpi, IteratesWhereVectorsOutgrowTheCache) {
  if (!is_gpu_v<Exec> || world().is_alone() || !find_peer_memory(Exec(), world()).work) {
    GTEST_SKIP() << "ranks with a device each iterate so";
  }
  const Exec exec = instance_of_rank();
  if (device_cache_bytes(exec) == 0) GTEST_SKIP() << "takes GPUs with kernels that prefetch slices";
  for (const int b : {1, 3}) {
    if (!is_compiled_block_size(b)) continue;
    const std::int64_t of_rank = device_cache_bytes(exec) / (b * std::int64_t(sizeof(double))) * 3 / 5;
    expect_solves_tangle(exec, b, of_rank, of_rank * world().size(), CgLaunch::persistent, "by slices, interleaved");
  }
}

// Halo and sums, by kernels one by one and in one kernel of each rank.
TEST(DistributedOverMpi, GivesTheSameBitsHoweverDevicesShareMemory) {
  if (memory_kind_of<Space> != MemoryKind::cuda || world().is_alone() || !find_peer_memory(Exec(), world()).work) {
    GTEST_SKIP() << "takes CUDA, and ranks with a device each";
  }
  const Exec exec = instance_of_rank();
  const Beam beam(world().size());
  const auto rows = problems::cantilever_matrix<Matrix>(exec, beam.problem, beam.rows(world().rank()));
  DistributedOptions options = with(Decomposition::one_d, HaloForm::automatic);
  options.exchange = ExchangeMode::kernel;
  for (const CgLaunch launch : {CgLaunch::one_by_one, CgLaunch::automatic}) {
    SCOPED_TRACE(launch == CgLaunch::automatic ? "automatic" : "kernel by kernel");
    std::vector<double> first;
    std::string first_launch;
    for (const PeerSharing sharing : {PeerSharing::handles, PeerSharing::descriptors}) {
      Communicator comm = world().duplicate();
      comm.use_peer_sharing(sharing);
      const DistributedOperator<Matrix> a(exec, comm, beam.partition, rows, options);
      EXPECT_THAT(a.explain(),
                  ::testing::HasSubstr(sharing == PeerSharing::handles ? "by handles (as asked for)"
                                                                       : "by file descriptors (as asked for)"));
      const AnyM m = preconditioner_of(exec, a.own_matrix(), Kind::block_jacobi);
      const Vector b("test::b", a.space().num_local()), x("test::x", a.space().num_local());
      Kokkos::deep_copy(b, 1.0);
      const SolveReport report = cg(exec, a, m, b, x, {.rtol = 1e-30, .max_iterations = 40, .launch = launch});
      if (sharing == PeerSharing::handles) {
        first = to_host(x);
        first_launch = report.launch;
      } else {
        EXPECT_EQ(to_host(x), first);
        EXPECT_EQ(report.launch, first_launch);
      }
    }
  }
}

// ASHLAR_TEST_ROUNDS says how many solves of 40 iterations: 2500 are 10^5 iterations.
class SolversOverMpi : public ::testing::TestWithParam<DelayedSolver> {};

TEST_P(SolversOverMpi, GiveTheSameBitsWhateverRanksWaitFor) {
  for (const ExchangeMode mode : {ExchangeMode::blocking, ExchangeMode::kernel}) {
    expect_same_bits_with_delays(world(), mode, GetParam());
  }
  // (On streams of GPUs it is a test of NCCL.)
  if (!is_gpu_v<Exec>) expect_same_bits_with_delays(with_host_streams(world()), ExchangeMode::stream, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Each, SolversOverMpi,
                         ::testing::Values(DelayedSolver::cg, DelayedSolver::gmres, DelayedSolver::bicgstab,
                                           DelayedSolver::minres));

// A rank that is late for a launch leaves the kernels of the others waiting: they say so after the time that they were
// given, and operators that are made then solve as before.
TEST(DistributedOverMpi, GivesUpInTheOneKernelOfEachRank) {
  if (!is_gpu_v<Exec> || world().is_alone() || !find_peer_memory(Exec(), world()).work) {
    GTEST_SKIP() << "ranks with a device each iterate so";
  }
  DistributedOptions options = in_mode(ExchangeMode::kernel, Decomposition::one_d);
  options.halo.time_out_seconds = 2;
  const auto solved = [](const BeamOfRanks& system, double seconds_late) {
    const Vector x("test::x", system.b.extent(0));
    const auto be_late = [&](int iterations, double) {
      if (iterations == 10) std::this_thread::sleep_for(std::chrono::duration<double>(seconds_late));
    };
    cg(system.exec, system.a, system.preconditioner(Kind::block_jacobi), system.b, x,
       {.rtol = 1e-30, .max_iterations = 40, .check_interval = 10, .launch = CgLaunch::persistent, .monitor = be_late});
    return to_host(x);
  };
  const BeamOfRanks first(world(), options);
  const std::vector<double> expected = solved(first, 0);
  std::string problem;
  try {
    solved(first, world().rank() == 0 ? 5 : 0);
  } catch (const Error& error) {
    problem = error.what();
  }
  EXPECT_THAT(problem, ::testing::HasSubstr("they gave up after 2 s"));
  const BeamOfRanks second(world(), options);
  EXPECT_EQ(solved(second, 0), expected);
}

TEST(DistributedOverMpi, IterationsInKernelsAreReplayed) { expect_replays_to_the_bit(ExchangeMode::kernel, world()); }

TEST(DistributedOverMpi, HostsWaitBetweenIntervalsAlone) {
  if (!is_gpu_v<Exec> || world().is_alone() || !find_peer_memory(Exec(), world()).work) {
    GTEST_SKIP() << "takes ranks with a device each";
  }
  expect_no_wait_inside_an_interval(ExchangeMode::kernel, world());
}

TEST(DistributedOverMpi, SolvesInEveryWayToExchangeAndToUpdateX) {
  const SerialSolve serial = solve_serially(Form::standard, Beam(1), Kind::block_jacobi);
  for (const DistributedOptions& way : all_ways()) {
    for (const CgXUpdate update :
         {CgXUpdate::with_direction, CgXUpdate::under_reduction, CgXUpdate::before_reduction}) {
      expect_solved_as(serial, world(), Beam(world().size()), Form::standard, Kind::block_jacobi, way,
                       {.x_update = update});
    }
  }
}

// On the instance that it is given, without a global fence, with labels; and a second product allocates nothing.
TEST(DistributedOverMpi, KeepsThePromisesOfTheLibrary) {
  using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  const Beam beam(world().size());
  for (const DistributedOptions& way : all_ways()) {
    SCOPED_TRACE(name_of(way));
    const Exec exec = instance_of_rank();
    const auto rows = problems::cantilever_matrix<Matrix>(exec, beam.problem, beam.rows(world().rank()));
    std::optional<DistributedOperator<Matrix>> a;
    {
      exec.fence();
      const Watcher watcher;
      a.emplace(exec, world(), beam.partition, rows, way);
      EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), ::testing::IsEmpty());
    }
    const Vector x("test::x", a->space().num_local()), y("test::y", a->space().num_local());
    const Block xs("test::x", a->space().num_local(), 3), ys("test::y", a->space().num_local(), 3);
    const Kokkos::View<double*, Space> sums("test::sums", 3);
    const auto work = [&] {
      a->apply(exec, x, y);
      a->apply(exec, xs, ys);
      a->space().sum_begin(exec, sums);
      a->space().sum_end(exec, sums);
    };
    work();
    exec.fence();
    const Watcher watcher;
    work();
    EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), ::testing::IsEmpty());
    EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
  }
}

}  // namespace
}  // namespace ashlar::testing
