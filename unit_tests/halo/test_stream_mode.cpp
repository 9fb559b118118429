// Exchanges in the order of streams, over a transport of the host's memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/halo/halo_exchange.hpp>
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include "halo/exchange_cases.hpp"
#include "support/host_streams.hpp"
#include "support/message.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using std::chrono::microseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

Side stream_side(const Communicator& comm, const Needs& needs, HaloForm form = HaloForm::automatic,
                 int block_size = 1) {
  return Side(comm, needs, form, block_size, HaloBuffers::automatic, ExchangeMode::stream);
}

class StreamMode : public ::testing::Test {
  void SetUp() override {
    if (is_gpu_v<Exec>) GTEST_SKIP() << "halos are in a device's memory";
  }
};

TEST_F(StreamMode, BringsWhatIsNeededInAllForms) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    run_ranks(ranks, [&](Communicator& comm) {
      const Communicator streams = with_host_streams(comm);
      for (const Needs& needs : needs_of_all_kinds(ranks)) {
        for (const HaloForm form : all_forms) {
          expect_right_exchanges<double>(streams, needs, form, 3, HaloBuffers::automatic, ExchangeMode::stream);
        }
      }
    });
  }
}

TEST_F(StreamMode, BringsScalarsOfOtherTypes) {
  const Needs needs = random_needs(RowPartition({0, 7, 7, 30}), 0.4, 21);
  run_ranks(3, [&](Communicator& comm) {
    const Communicator streams = with_host_streams(comm);
    const auto expect_right = [&]<class Scalar>(Scalar) {
      expect_right_exchanges<Scalar>(streams, needs, HaloForm::automatic, 3, HaloBuffers::automatic,
                                     ExchangeMode::stream);
    };
    expect_right(1.0F);
    expect_right(Kokkos::complex<double>());
  });
}

TEST_F(StreamMode, AThousandBackToBackWithRandomDelays) {
  const Needs needs = random_needs(RowPartition::even(40, 4), 0.3, 22);
  for (const bool by_pieces : {false, true}) {
    for (const bool two_in_flight : {false, true}) {
      run_ranks(4,
                [&](Communicator& comm) {
                  expect_right_back_to_back(with_host_streams(comm), needs, 1000, two_in_flight, by_pieces,
                                            HaloBuffers::automatic, ExchangeMode::stream);
                },
                {.max_delay = microseconds(100), .seed = 5});
    }
  }
}

TEST_F(StreamMode, TheHaloStaysUntilTheNextEnd) {
  const Needs needs = chain_needs(RowPartition::even(9, 3));
  run_ranks(3, [&](Communicator& comm) {
    Side side = stream_side(with_host_streams(comm), needs);
    side.begin(0);
    side.begin(1);
    side.exchange.end(side.exec);
    EXPECT_EQ(side.num_wrong(0), 0);
    // Two are on their way again, and this one is still read.
    side.begin(2);
    comm.barrier();
    EXPECT_EQ(side.num_wrong(0), 0);
    side.exchange.end(side.exec);
    EXPECT_EQ(side.num_wrong(1), 0);
    side.exchange.end(side.exec);
    EXPECT_EQ(side.num_wrong(2), 0);
  });
}

TEST_F(StreamMode, GivesEachPieceOnce) {
  const Needs needs = random_needs(RowPartition::even(16, 4), 1, 24);
  run_ranks(4, [&](Communicator& comm) {
    Side side = stream_side(with_host_streams(comm), needs);
    for (int round = 0; round < 4; ++round) {
      side.begin(round);
      std::set<int> taken;
      for (int i = 0; i < round; ++i) taken.insert(side.exchange.next_arrived(side.exec));
      EXPECT_EQ(taken.size(), static_cast<std::size_t>(round));
      EXPECT_EQ(taken.count(-1), 0U);
      side.exchange.end(side.exec);  // takes what is left
      EXPECT_EQ(side.exchange.num_in_flight(), 0);
      EXPECT_EQ(side.num_wrong(round), 0);
    }
    side.begin(4);
    for (int k = 0; k < 3; ++k) EXPECT_GE(side.exchange.next_arrived(side.exec), 0);
    EXPECT_EQ(side.exchange.next_arrived(side.exec), -1);
    EXPECT_EQ(side.num_wrong(4), 0);
  });
}

TEST_F(StreamMode, MovesWhileOnItsWay) {
  const Needs needs = random_needs(RowPartition::even(12, 2), 0.6, 26);
  run_ranks(2, [&](Communicator& comm) {
    const Communicator streams = with_host_streams(comm);
    Side side = stream_side(streams, needs), other = stream_side(streams, needs);
    side.begin(3);
    HaloExchange<double, Exec> moved(std::move(side.exchange));
    EXPECT_EQ(moved.mode(), ExchangeMode::stream);
    moved.end(side.exec);
    EXPECT_EQ(num_wrong(side.exec, moved, side.entries, 3), 0);
    other.begin(1);
    other.exchange.end(other.exec);
    moved = std::move(other.exchange);
    EXPECT_EQ(num_wrong(side.exec, moved, side.entries, 1), 0);
  });
}

TEST_F(StreamMode, SaysWhatItDid) {
  const Needs needs = chain_needs(RowPartition::even(9, 3));
  run_ranks(3, [&](Communicator& comm) {
    Side side = stream_side(with_host_streams(comm), needs, HaloForm::packed, 3);
    EXPECT_EQ(side.exchange.mode(), ExchangeMode::stream);
    EXPECT_TRUE(side.exchange.is_stream_ordered());
    for (int round = 0; round < 2; ++round) {
      side.begin(round);
      side.exchange.end(side.exec);
    }
    const int neighbours = comm.rank() == 1 ? 2 : 1;
    const HaloFigures figures = side.exchange.figures();
    EXPECT_EQ(figures.exchanges, 2);
    EXPECT_EQ(figures.sent.messages, 2 * neighbours);
    EXPECT_EQ(figures.sent.bytes, 2 * neighbours * 3 * 8);
    EXPECT_EQ(figures.received.messages, 2 * neighbours);
    EXPECT_EQ(figures.received.bytes, 2 * neighbours * 3 * 8);
    EXPECT_EQ(figures.waited_seconds, 0);
    EXPECT_FALSE(figures.is_staged);
    EXPECT_THAT(side.exchange.explain(),
                HasSubstr("on a stream, by messages of the host, in mode stream (as asked for)"));
    const HeldBytes held = side.exchange.bytes();
    EXPECT_EQ(held.device + held.host, static_cast<std::uint64_t>(3 * 2 * neighbours * 3 * 8) +
                                           side.exchange.plan().send_index().size() * sizeof(std::int64_t));
  });
}

TEST_F(StreamMode, IsRefusedOnAllRanksWithoutATransport) {
  const Needs needs = chain_needs(RowPartition::even(9, 3));
  run_ranks(3, [&](Communicator& comm) {
    const auto make = [&] { stream_side(comm, needs); };
    EXPECT_THAT(message_of<ArgumentError>(make),
                AllOf(HasSubstr("halo: an exchange in mode stream"), HasSubstr("rank 0 has no transport for streams")));
    // One rank without is one too many.
    const auto streams = std::make_shared<HostStreams>(comm.duplicate());
    if (comm.rank() != 2) comm.use_stream_transport(streams);
    EXPECT_THAT(message_of<ArgumentError>(make), HasSubstr("rank 2 has no transport for streams"));
    comm.use_stream_transport(streams);
    make();
  });
}

TEST_F(StreamMode, IsNotTakenByItselfWhereKernelsRunOnTheHost) {
  const Needs needs = chain_needs(RowPartition::even(8, 2));
  run_ranks(2, [&](Communicator& comm) {
    EXPECT_THAT(Side(comm, needs).exchange.explain(),
                HasSubstr("in mode blocking (stream: rank 0 has no transport for streams; kernel: "));
    const Side side(with_host_streams(comm), needs);
    EXPECT_EQ(side.exchange.mode(), ExchangeMode::blocking);
    EXPECT_FALSE(side.exchange.is_stream_ordered());
    EXPECT_EQ(side.exchange.why_mode(),
              "stream: kernels run on the host; kernel: ranks 0 and 1 are threads of one process");
  });
}

TEST_F(StreamMode, ExchangesOfOneCommunicatorShareATransport) {
  const Needs needs = random_needs(RowPartition::even(12, 2), 0.6, 25);
  run_ranks(2, [&](Communicator& comm) {
    const auto log = std::make_shared<HostStreams::Log>();
    comm.use_stream_transport(std::make_shared<HostStreams>(comm.duplicate(), log));
    {
      Side a = stream_side(comm, needs), b = stream_side(comm, needs);
      EXPECT_EQ(log->made, 1);
      const Side c = stream_side(comm.duplicate(), needs);
      EXPECT_EQ(log->made, 2);
      a.begin(1);
      b.begin(2);
      b.exchange.end(b.exec);
      a.exchange.end(a.exec);
      EXPECT_EQ(a.num_wrong(1), 0);
      EXPECT_EQ(b.num_wrong(2), 0);
      EXPECT_EQ(log->exchanges, 2);
    }
    EXPECT_EQ(log->aborted, 0);
  });
}

TEST_F(StreamMode, GivesUpWhatHasNotEnded) {
  const Needs needs = random_needs(RowPartition::even(12, 2), 1, 28);
  run_ranks(2, [&](Communicator& comm) {
    const auto log = std::make_shared<HostStreams::Log>();
    comm.use_stream_transport(std::make_shared<HostStreams>(comm.duplicate(), log));
    {
      const Communicator one = comm.duplicate();
      Side other = stream_side(one, needs);
      {
        Side side = stream_side(one, needs);
        side.begin(0);
      }
      EXPECT_EQ(log->aborted, 1);
      // It shared what carried its messages.
      EXPECT_THAT(message_of<CommError>([&] { other.begin(0); }), HasSubstr("it has been aborted"));
    }
    // An exception on its way: the others may not come any more.
    try {
      Side side = stream_side(comm.duplicate(), needs);
      side.begin(0);
      side.exchange.end(side.exec);
      throw std::runtime_error("left");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(log->aborted, 2);
  });
}

TEST_F(StreamMode, TellsOfATransportThatFails) {
  const Needs needs = random_needs(RowPartition::even(12, 2), 1, 29);
  run_ranks(2, [&](Communicator& comm) {
    const auto log = std::make_shared<HostStreams::Log>();
    log->failing = 1;
    comm.use_stream_transport(std::make_shared<HostStreams>(comm.duplicate(), log));
    Side side = stream_side(comm, needs);
    side.begin(0);
    side.exchange.end(side.exec);
    EXPECT_EQ(side.num_wrong(0), 0);
    EXPECT_THAT(message_of<CommError>([&] { side.begin(1); }), HasSubstr("an exchange failed"));
    EXPECT_THAT(message_of<CommError>([&] { side.begin(1); }), HasSubstr("it has been aborted"));
  });
}

}  // namespace
}  // namespace ashlar::testing
