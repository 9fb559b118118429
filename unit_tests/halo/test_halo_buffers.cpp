#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/halo/halo_exchange.hpp>
#include <chrono>
#include <memory>
#include <vector>

#include "comm/claiming_transport.hpp"
#include "halo/exchange_cases.hpp"
#include "support/message.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using std::chrono::microseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr HaloBuffers all_buffers[] = {HaloBuffers::automatic, HaloBuffers::staged, HaloBuffers::device};

class HaloBuffersOf : public ::testing::Test {
  void SetUp() override {
    if (is_gpu_v<Exec>) GTEST_SKIP() << "ranks that are threads reach the host's memory only";
  }
};

TEST_F(HaloBuffersOf, AllBringWhatIsNeededInAllForms) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    run_ranks(ranks, [&](Communicator& threads) {
      const Communicator comm = claiming(threads);
      for (const Needs& needs : needs_of_all_kinds(ranks)) {
        for (const HaloForm form : all_forms) {
          for (const HaloBuffers buffers : all_buffers) {
            expect_right_exchanges<double>(comm, needs, form, 3, buffers);
            expect_right_exchanges<Kokkos::complex<float>>(comm, needs, form, 1, buffers);
          }
        }
      }
    });
  }
}

TEST_F(HaloBuffersOf, AllBringAThousandBackToBackWithRandomDelays) {
  const Needs needs = random_needs(RowPartition::even(40, 4), 0.3, 22);
  for (const HaloBuffers buffers : {HaloBuffers::staged, HaloBuffers::device}) {
    for (const bool two_in_flight : {false, true}) {
      for (const bool by_pieces : {false, true}) {
        run_ranks(4,
                  [&](Communicator& threads) {
                    expect_right_back_to_back(claiming(threads), needs, 300, two_in_flight, by_pieces, buffers);
                  },
                  {.max_delay = microseconds(100), .seed = 6, .rendezvous = by_pieces});
      }
    }
  }
}

TEST_F(HaloBuffersOf, MessagesComeToTheHaloItselfUnlessStaged) {
  const Needs needs = random_needs(RowPartition::even(12, 3), 1, 31);
  for (const HaloBuffers buffers : all_buffers) {
    const auto log = std::make_shared<ClaimingLog>();
    run_ranks(3, [&](Communicator& threads) {
      Side side(claiming(threads, {}, log), needs, HaloForm::packed, 1, buffers);
      const bool is_staged = buffers == HaloBuffers::staged;
      for (int round = 0; round < 4; ++round) {
        side.begin(round);
        side.exchange.end(side.exec);
        EXPECT_EQ(side.num_wrong(round), 0);
        EXPECT_EQ(log->came_to(side.exchange.halo().data()), !is_staged);
      }
      const HaloFigures figures = side.exchange.figures();
      EXPECT_EQ(side.exchange.is_staged(), is_staged);
      EXPECT_EQ(figures.is_staged, is_staged);
      EXPECT_EQ(figures.exchanges, 4);
      EXPECT_EQ(figures.sent.messages, 4 * 2);
      EXPECT_EQ(figures.sent.bytes, 4 * side.exchange.bytes_sent());
      EXPECT_EQ(figures.received.messages, 4 * 2);
      EXPECT_EQ(figures.received.bytes, 4 * side.exchange.bytes_received());
      EXPECT_THAT(side.exchange.explain(),
                  AllOf(HasSubstr("halo: 8 messages of 256 bytes sent and 8 of 256 received in 4 exchanges, "),
                        HasSubstr(is_staged ? "staged through pinned memory (as asked for)"
                                            : "from and to the memory that the halo is in (tried with")));
    });
  }
}

TEST_F(HaloBuffersOf, CountsWhatComesInPieces) {
  const Needs needs = chain_needs(RowPartition::even(9, 3));
  run_ranks(3, [&](Communicator& comm) {
    Side side(comm, needs);
    side.begin(0);
    EXPECT_EQ(side.exchange.figures().received.messages, 0);
    EXPECT_GE(side.exchange.next_arrived(side.exec), 0);
    EXPECT_EQ(side.exchange.figures().received.messages, 1);
    side.exchange.end(side.exec);
    EXPECT_EQ(side.exchange.figures().received.messages, comm.rank() == 1 ? 2 : 1);
    EXPECT_EQ(side.exchange.figures().received.bytes, side.exchange.bytes_received());
    EXPECT_FALSE(side.exchange.is_staged());
  });
}

TEST_F(HaloBuffersOf, AreStagedWhereMessagesOfDeviceMemoryComeWrong) {
  const Needs needs = random_needs(RowPartition::even(15, 3), 0.7, 32);
  for (const int guilty : {-1, 2}) {
    run_ranks(3, [&](Communicator& threads) {
      const Communicator comm = claiming(threads, wrong_at(65536, guilty));
      for (const HaloForm form : all_forms) expect_right_exchanges<double>(comm, needs, form, 2);
      Side side(comm, needs);
      side.begin(1);
      side.exchange.end(side.exec);
      EXPECT_EQ(side.num_wrong(1), 0);
      EXPECT_TRUE(side.exchange.is_staged());
      EXPECT_THAT(side.exchange.explain(),
                  HasSubstr("staged through pinned memory (tried, and came back wrong at 65536"));
    });
  }
}

TEST_F(HaloBuffersOf, AskedForByNameAreAnErrorOnAllRanksWhereTheyDoNotWork) {
  const Needs needs = chain_needs(RowPartition::even(9, 3));
  run_ranks(3, [&](Communicator& threads) {
    const Communicator wrong = claiming(threads, wrong_at(1048576, 1));
    EXPECT_THAT(message_of<ArgumentError>([&] { Side(wrong, needs, HaloForm::automatic, 1, HaloBuffers::device); }),
                AllOf(HasSubstr("from and to device memory were asked for"), HasSubstr("wrong at 1048576 bytes"),
                      HasSubstr("on rank 1")));
    ClaimingOptions silent;
    silent.claims = [](int rank) { return rank < 2; };
    const Communicator refused = claiming(threads, silent);
    EXPECT_THAT(message_of<ArgumentError>([&] { Side(refused, needs, HaloForm::automatic, 1, HaloBuffers::device); }),
                HasSubstr("does not say on rank 2"));
    // The ranks are still together.
    Side side(refused, needs);
    side.begin(2);
    side.exchange.end(side.exec);
    EXPECT_EQ(side.num_wrong(2), 0);
    EXPECT_TRUE(side.exchange.is_staged());
  });
}

TEST_F(HaloBuffersOf, MustBeTheSameOnAllRanks) {
  const Needs needs = chain_needs(RowPartition::even(9, 3));
  run_ranks(3, [&](Communicator& comm) {
    const HaloBuffers mine = comm.rank() == 2 ? HaloBuffers::staged : HaloBuffers::automatic;
    EXPECT_THAT(message_of<ArgumentError>([&] { Side(comm, needs, HaloForm::automatic, 1, mine); }),
                HasSubstr("halo: buffers staged on rank 2, automatic on rank 0"));
  });
}

TEST_F(HaloBuffersOf, OfListsOfTheCallersOwn) {
  run_ranks(2, [](Communicator& comm) {
    std::vector<Numbers> send(2);
    send[static_cast<std::size_t>(1 - comm.rank())] = {1, 0};
    Numbers receive(2, 0);
    receive[static_cast<std::size_t>(1 - comm.rank())] = 2;
    const HaloPlan plan = HaloPlan::from_lists(comm, 2, receive, send, HaloBuffers::staged);
    EXPECT_EQ(plan.buffers(), HaloBuffers::staged);
    const HaloExchange<double, Exec> exchange(own_instance(), comm, plan, 1);
    EXPECT_TRUE(exchange.is_staged());
  });
}

}  // namespace
}  // namespace ashlar::testing
