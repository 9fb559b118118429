// Products, sums and solves in the order of streams: the same bits as with messages that the host waits for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "distributed/exchange_mode_cases.hpp"
#include "support/host_streams.hpp"
#include "support/rank_sums.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using Sums = Kokkos::View<double*, Space>;

class StreamMode : public ::testing::Test {
  void SetUp() override {
    if (is_gpu_v<Exec>) GTEST_SKIP() << "vectors are in a device's memory";
  }
};

TEST_F(StreamMode, SumsAreAddedInRankOrder) {
  for (const int ranks : {1, 2, 3, 4}) {
    run_ranks(ranks, [&](Communicator& comm) {
      const Exec exec = instance_of_rank();
      const DistributedSpace<Exec> space(exec, with_host_streams(comm), 3 + comm.rank(), ExchangeMode::stream);
      EXPECT_TRUE(space.is_stream_ordered());
      EXPECT_EQ(space.num_global(), 3 * ranks + ranks * (ranks - 1) / 2);
      // More than there is room for at first, and then fewer again.
      for (const int count : {1, 3, 64, 200, 2, 65, 0, 1}) {
        const Sums sums = to_device<Space>(shares(comm.rank(), count));
        space.sum_begin(exec, sums);
        space.sum_end(exec, sums);
        exec.fence();
        ASSERT_EQ(to_host(sums), shares_in_rank_order(ranks, count)) << count << " sums";
      }
      EXPECT_EQ(space.waited_seconds(), 0);
    });
  }
}

TEST_F(StreamMode, SumsAreRefusedOnAllRanksWithoutATransport) {
  run_ranks(2, [](Communicator& comm) {
    const Exec exec = instance_of_rank();
    expect_refused<ArgumentError>("rank 0 has no transport for streams",
                                  [&] { DistributedSpace<Exec>(exec, comm, 3, ExchangeMode::stream); });
  });
}

TEST_F(StreamMode, GivesUpASumThatHasNotEnded) {
  run_ranks(2, [](Communicator& comm) {
    const auto log = std::make_shared<HostStreams::Log>();
    comm.use_stream_transport(std::make_shared<HostStreams>(comm.duplicate(), log));
    const Exec exec = instance_of_rank();
    const Sums sums("test::sums", 2);
    {
      const DistributedSpace<Exec> space(exec, comm, 1, ExchangeMode::stream);
      space.sum_begin(exec, sums);
      space.sum_end(exec, sums);
    }
    EXPECT_EQ(log->aborted, 0);
    {
      const DistributedSpace<Exec> space(exec, comm, 1, ExchangeMode::stream);
      space.sum_begin(exec, sums);
    }
    EXPECT_EQ(log->aborted, 1);
  });
}

TEST_F(StreamMode, AnOperatorAndItsSpaceShareATransport) {
  run_ranks(2, [](Communicator& comm) {
    const auto log = std::make_shared<HostStreams::Log>();
    comm.use_stream_transport(std::make_shared<HostStreams>(comm.duplicate(), log));
    const Beam beam(comm.size());
    const Exec exec = instance_of_rank();
    const auto rows = problems::cantilever_matrix<Matrix>(exec, beam.problem, beam.rows(comm.rank()));
    const DistributedOperator<Matrix> a(exec, comm, beam.partition, rows,
                                        in_mode(ExchangeMode::stream, Decomposition::one_d));
    // Several vectors have an exchange of their own.
    const Kokkos::View<double**, Kokkos::LayoutRight, Space> xs("test::x", a.space().num_local(), 3),
        ys("test::y", a.space().num_local(), 3);
    a.apply(exec, xs, ys);
    const Sums sums("test::sums", 2);
    a.space().sum_begin(exec, sums);
    a.space().sum_end(exec, sums);
    EXPECT_EQ(log->exchanges, 1);
    EXPECT_EQ(log->gatherings, 1);
    EXPECT_EQ(log->made, 1);
    // Another one may be under way at the same time.
    const DistributedOperator<Matrix> b(exec, comm, beam.partition, rows,
                                        in_mode(ExchangeMode::stream, Decomposition::one_d));
    EXPECT_EQ(log->made, 2);
  });
}

TEST_F(StreamMode, SolvesToTheBitAsTheBlockingOne) {
  for (const int ranks : {2, 3}) {
    run_ranks(ranks,
              [&](Communicator& comm) {
                const Communicator streams = with_host_streams(comm);
                for (const Form form : {Form::standard, Form::single_reduction, Form::pipelined}) {
                  for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
                    const Kind kind = decomposition == Decomposition::one_d ? Kind::block_jacobi : Kind::none;
                    const Solved blocking = solve_in(ExchangeMode::blocking, streams, form, kind, decomposition);
                    const Solved stream = solve_in(ExchangeMode::stream, streams, form, kind, decomposition);
                    EXPECT_EQ(stream.report.status, SolveStatus::converged);
                    EXPECT_EQ(stream.report.iterations, blocking.report.iterations);
                    EXPECT_EQ(stream.report.residual_history, blocking.report.residual_history);
                    EXPECT_EQ(stream.x, blocking.x);
                  }
                }
              },
              {.max_delay = std::chrono::microseconds(20), .seed = 7});
  }
}

TEST_F(StreamMode, IsRefusedOnAllRanksWhereItCannotBe) {
  run_ranks(2, [](Communicator& comm) {
    const Beam beam(comm.size());
    const Exec exec = instance_of_rank();
    const auto rows = problems::cantilever_matrix<Matrix>(exec, beam.problem, beam.rows(comm.rank()));
    const auto make = [&](const Communicator& given, ExchangeMode mode) {
      return DistributedOperator<Matrix>(exec, given, beam.partition, rows, in_mode(mode, Decomposition::one_d));
    };
    expect_refused<ArgumentError>("rank 0 has no transport for streams", [&] { make(comm, ExchangeMode::stream); });
    const Communicator streams = with_host_streams(comm);
    expect_refused<ArgumentError>("exchange blocking on rank 1, stream on rank 0", [&] {
      make(streams, comm.rank() == 0 ? ExchangeMode::stream : ExchangeMode::blocking);
    });
    const auto automatic = make(streams, ExchangeMode::automatic);
    EXPECT_EQ(automatic.exchange_mode(), ExchangeMode::blocking);
    EXPECT_EQ(automatic.why_exchange_mode(),
              "stream: kernels run on the host; kernel: ranks 0 and 1 are threads of one process");
    EXPECT_THAT(make(streams, ExchangeMode::stream).explain(),
                ::testing::HasSubstr("on a stream, by messages of the host, in mode stream (as asked for)"));
  });
}

}  // namespace
}  // namespace ashlar::testing
