// Products, sums and solves by kernels that write to other ranks' memory: the same bits as with messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "distributed/exchange_mode_cases.hpp"
#include "support/message.hpp"
#include "support/rank_sums.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using Sums = Kokkos::View<double*, Space>;

class KernelMode : public ::testing::Test {
  void SetUp() override {
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
    GTEST_SKIP() << "this Kokkos has no threads: ranks take turns, and none waits in a kernel";
#endif
    if (is_gpu_v<Exec>) GTEST_SKIP() << "ranks that share a device: what allocates waits for kernels that wait for it";
  }
};

TEST_F(KernelMode, SumsAreAddedInRankOrder) {
  for (const int ranks : {1, 2, 3, 4}) {
    run_ranks(ranks, [&](Communicator& comm) {
      const Exec exec = instance_of_rank();
      const DistributedSpace<Exec> space(exec, comm, 3 + comm.rank(), ExchangeMode::kernel);
      EXPECT_EQ(space.is_stream_ordered(), ranks == 1 || is_gpu_v<Exec>);
      // More than there is room for at first, then fewer again; and many in a row.
      for (int round = 0; round < 300; ++round) {
        const int count = round < 7 ? std::vector{1, 3, 64, 200, 2, 65, 0}[std::size_t(round)] : round % 5;
        const Sums sums = to_device<Space>(shares(comm.rank(), count, round));
        space.sum_begin(exec, sums);
        space.sum_end(exec, sums);
        exec.fence();
        ASSERT_EQ(to_host(sums), shares_in_rank_order(ranks, count, round)) << count << " sums";
      }
    });
  }
}

/// A rank that has ended a sum begins the next one while another rank has yet to read what came of this one.
TEST_F(KernelMode, TheNextSumLeavesThisOneAlone) {
  constexpr int rounds = 6, count = 3;
  std::atomic<int> begun = 0;
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const DistributedSpace<Exec> space(exec, comm, 1, ExchangeMode::kernel, 5.0);
    for (int round = 0; round < rounds; ++round) {
      const Sums sums = to_device<Space>(shares(comm.rank(), count, round));
      space.sum_begin(exec, sums);
      exec.fence("test::begun");
      if (comm.rank() == 0) ++begun;
      const int ahead = std::min(rounds, round + 2);
      for (int k = 0; k < 100'000 && comm.rank() == 1 && begun < ahead; ++k) let_others_run();
      space.sum_end(exec, sums);
      exec.fence("test::ended");
      ASSERT_EQ(to_host(sums), shares_in_rank_order(2, count, round)) << "round " << round;
    }
  });
  EXPECT_EQ(begun, rounds);
}

TEST_F(KernelMode, SolvesToTheBitAsTheBlockingOne) {
  for (const int ranks : {2, 3}) {
    run_ranks(ranks, [&](Communicator& comm) {
      for (const Form form : {Form::standard, Form::single_reduction, Form::pipelined}) {
        for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
          const Kind kind = decomposition == Decomposition::one_d ? Kind::block_jacobi : Kind::none;
          const Solved blocking = solve_in(ExchangeMode::blocking, comm, form, kind, decomposition);
          const Solved kernel = solve_in(ExchangeMode::kernel, comm, form, kind, decomposition);
          EXPECT_EQ(kernel.report.status, SolveStatus::converged);
          EXPECT_EQ(kernel.report.iterations, blocking.report.iterations);
          EXPECT_EQ(kernel.report.residual_history, blocking.report.residual_history);
          EXPECT_EQ(kernel.x, blocking.x);
        }
      }
    });
  }
}

// One option holds for the halo and for sums.
TEST_F(KernelMode, ARankThatDoesNotComeIsToldInTheTimeAskedFor) {
  run_ranks(2, [](Communicator& comm) {
    const Beam beam(comm.size());
    const Exec exec = instance_of_rank();
    const auto rows = problems::cantilever_matrix<Matrix>(exec, beam.problem, beam.rows(comm.rank()));
    DistributedOptions options = in_mode(ExchangeMode::kernel, Decomposition::one_d);
    options.halo.time_out_seconds = 0.125;
    const DistributedOperator<Matrix> a(exec, comm, beam.partition, rows, options);
    EXPECT_EQ(a.halo_plan().time_out_seconds(), 0.125);
    a.check();
    if (comm.rank() == 1) return;
    const Vector x("test::x", a.space().num_local()), y("test::y", a.space().num_local());
    EXPECT_THAT(message_of<CommError>([&] {
                  a.apply(exec, x, y);
                  exec.fence("test::late");
                  a.check();
                }),
                ::testing::HasSubstr("halo: rank 0 has waited 0.125 s"));
    const Sums sums("test::sums", 2);
    EXPECT_THAT(message_of<CommError>([&] {
                  a.space().sum_begin(exec, sums);
                  a.space().sum_end(exec, sums);
                  exec.fence("test::late");
                  a.space().check();
                }),
                ::testing::HasSubstr("distributed_space: rank 0 has waited 0.125 s"));
  });
}

TEST_F(KernelMode, ATimeOutOfNothingIsRefused) {
  run_ranks(2, [](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto refused = [](const auto& make) {
      EXPECT_THAT(message_of<ArgumentError>(make), ::testing::HasSubstr("kernels that wait 0 s for other ranks"));
    };
    refused([&] { DistributedSpace<Exec>(exec, comm, 3, ExchangeMode::kernel, 0); });
    const RowPartition even = RowPartition::even(4, 2);
    refused([&] { HaloPlan(comm, even, std::vector<std::int64_t>{}, {.time_out_seconds = 0}); });
    refused(
        [&] { NeighbourExchange<Exec>(exec, comm, {}, {}, {.mode = ExchangeMode::kernel, .time_out_seconds = 0}); });
  });
}

TEST_F(KernelMode, SumsOfSeveralHostsAreRefused) {
  run_ranks(2,
            [](Communicator& comm) {
              const Exec exec = instance_of_rank();
              expect_refused<CommError>("they are on 2 hosts",
                                        [&] { DistributedSpace<Exec>(exec, comm, 3, ExchangeMode::kernel); });
            },
            {.hosts = 2});
}

}  // namespace
}  // namespace ashlar::testing
