#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/halo/halo_exchange.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "halo/exchange_cases.hpp"
#include "support/message.hpp"
#include "support/some_types.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using std::chrono::microseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(HaloExchange, BringsWhatIsNeededInAllForms) {
  for (int ranks = 1; ranks <= 5; ++ranks) {
    run_ranks(ranks, [&](Communicator& comm) {
      for (const Needs& needs : needs_of_all_kinds(ranks)) {
        for (const HaloForm form : all_forms) expect_right_exchanges<double>(comm, needs, form, 3);
      }
    });
  }
}

template <class Scalar>
class HaloExchangeOf : public ::testing::Test {};
using Scalars = SomeTypes<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(HaloExchangeOf, Scalars);

TYPED_TEST(HaloExchangeOf, BringsWhatIsNeeded) {
  const Needs needs = random_needs(RowPartition({0, 7, 7, 30}), 0.4, 21);
  run_ranks(3, [&](Communicator& comm) {
    for (const int block_size : {1, 3}) {
      for (const HaloForm form : all_forms) expect_right_exchanges<TypeParam>(comm, needs, form, block_size);
    }
  });
}

TEST(HaloExchange, AThousandBackToBackWithRandomDelays) {
  const Needs needs = random_needs(RowPartition::even(40, 4), 0.3, 22);
  for (const bool rendezvous : {false, true}) {
    for (const bool two_in_flight : {false, true}) {
      run_ranks(4, [&](Communicator& comm) { expect_right_back_to_back(comm, needs, 1000, two_in_flight, rendezvous); },
                {.max_delay = microseconds(100), .seed = 5, .rendezvous = rendezvous});
    }
  }
}

TEST(HaloExchange, TheHaloStaysUntilTheNextEnd) {
  const Needs needs = chain_needs(RowPartition::even(9, 3));
  run_ranks(3, [&](Communicator& comm) {
    Side side(comm, needs);
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

TEST(HaloExchange, ASenderMayBeFarAhead) {
  // Rank 0 needs nothing and is never held up by others; they begin when it has ended.
  const Needs needs = star_needs(3);
  std::atomic<bool> has_ended{false};
  run_ranks(3, [&](Communicator& comm) {
    Side side(comm, needs);
    while (comm.rank() > 0 && !has_ended) let_others_run();
    for (int round = 0; round < 20; ++round) {
      side.begin(round);
      side.exchange.end(side.exec);
      EXPECT_EQ(side.num_wrong(round), 0);
    }
    if (comm.rank() == 0) has_ended = true;
  });
}

TEST(HaloExchange, GivesPiecesAsTheyArrive) {
  // Rank 2 begins when rank 0 has the data of rank 1; then the other way round.
  const Needs needs = random_needs(RowPartition::even(12, 3), 1, 23);
  std::atomic<int> first{-1};
  run_ranks(3, [&](Communicator& comm) {
    Side side(comm, needs);
    for (const int late : {2, 1}) {
      const int early = 3 - late;
      if (comm.rank() == late) {
        while (first != early) let_others_run();
      }
      side.begin(late);
      if (comm.rank() == 0) {
        const auto& from = side.exchange.plan().from();
        const auto expect_next = [&](int rank) {
          const int k = side.exchange.next_arrived(side.exec);
          ASSERT_TRUE(k >= 0 && k < 2);
          const auto& piece = from[static_cast<std::size_t>(k)];
          EXPECT_EQ(piece.rank, rank);
          EXPECT_EQ(num_wrong(side.exec, side.exchange, side.entries, late, piece.begin, piece.begin + piece.count), 0);
        };
        expect_next(early);
        first = early;
        expect_next(late);
        EXPECT_EQ(side.exchange.num_in_flight(), 1);
        EXPECT_EQ(side.exchange.next_arrived(side.exec), -1);
      } else {
        side.exchange.end(side.exec);
      }
      EXPECT_EQ(side.exchange.num_in_flight(), 0);
      EXPECT_EQ(side.num_wrong(late), 0);
      comm.barrier();
    }
  });
}

TEST(HaloExchange, EndTakesThePiecesThatAreLeft) {
  const Needs needs = random_needs(RowPartition::even(16, 4), 1, 24);
  ThreadRanksOptions options;
  options.max_delay = microseconds(300);
  run_ranks(
      4,
      [&](Communicator& comm) {
        Side side(comm, needs);
        for (int round = 0; round < 4; ++round) {
          side.begin(round);
          std::set<int> taken;
          for (int i = 0; i < round; ++i) taken.insert(side.exchange.next_arrived(side.exec));
          EXPECT_EQ(taken.size(), static_cast<std::size_t>(round));
          EXPECT_EQ(taken.count(-1), 0U);
          side.exchange.end(side.exec);
          EXPECT_EQ(side.exchange.num_in_flight(), 0);
          EXPECT_EQ(side.num_wrong(round), 0);
        }
      },
      options);
}

TEST(HaloExchange, ExchangesOfOneCommunicatorDoNotMeet) {
  const Needs needs = random_needs(RowPartition::even(12, 2), 0.6, 25);
  run_ranks(2, [&](Communicator& comm) {
    Side a(comm, needs), b(comm, needs);
    // In another order on each rank.
    Side &first = comm.rank() == 0 ? a : b, &second = comm.rank() == 0 ? b : a;
    first.begin(&first == &a ? 1 : 2);
    second.begin(&second == &a ? 1 : 2);
    first.exchange.end(first.exec);
    second.exchange.end(second.exec);
    EXPECT_EQ(a.num_wrong(1), 0);
    EXPECT_EQ(b.num_wrong(2), 0);
  });
}

TEST(HaloExchange, MovesWhileOnItsWay) {
  const Needs needs = random_needs(RowPartition::even(12, 2), 0.6, 26);
  run_ranks(2, [&](Communicator& comm) {
    Side side(comm, needs), other(comm, needs);
    side.begin(3);
    HaloExchange<double, Exec> moved(std::move(side.exchange));
    moved.end(side.exec);
    EXPECT_EQ(num_wrong(side.exec, moved, side.entries, 3), 0);
    other.begin(1);
    other.exchange.end(other.exec);
    moved = std::move(other.exchange);
    EXPECT_EQ(num_wrong(side.exec, moved, side.entries, 1), 0);
  });
}

TEST(HaloExchange, OfListsOfTheCallersOwn) {
  run_ranks(3, [](Communicator& comm) {
    // To the next rank two entries and one of them again, in an order of its own; to the one before a span.
    const int rank = comm.rank(), next = (rank + 1) % 3, before = (rank + 2) % 3;
    std::vector<Numbers> send(3);
    send[static_cast<std::size_t>(next)] = {4, 0, 4};
    send[static_cast<std::size_t>(before)] = {1, 2};
    Numbers receive(3, 0);
    receive[static_cast<std::size_t>(before)] = 3;
    receive[static_cast<std::size_t>(next)] = 2;
    const Exec exec = own_instance();
    HaloExchange<double, Exec> exchange(exec, comm, HaloPlan::from_lists(comm, 5, receive, send), 2);
    const Kokkos::View<double*, Space> x(Kokkos::view_alloc(exec, std::string("test::x")), 10);
    fill(exec, x, 5 * rank, 2, 1);
    exchange.begin(exec, x);
    exchange.end(exec);
    Numbers entries;
    for (int source = 0; source < 3; ++source) {
      const Numbers of = source == before ? Numbers{4, 0, 4} : source == next ? Numbers{1, 2} : Numbers{};
      for (const std::int64_t entry : of) entries.push_back(5 * source + entry);
    }
    EXPECT_EQ(num_wrong(exec, exchange, entries, 1), 0);
  });
}

TEST(HaloExchange, RefusesAThirdOnItsWayAndAnEndWithoutABegin) {
  const Needs needs = chain_needs(RowPartition::even(8, 2));
  run_ranks(2, [&](Communicator& comm) {
    Side side(comm, needs);
    EXPECT_THAT(message_of<ArgumentError>([&] { side.exchange.end(side.exec); }), HasSubstr("was not begun"));
    EXPECT_THAT(message_of<ArgumentError>([&] { side.exchange.next_arrived(side.exec); }), HasSubstr("was not begun"));
    side.begin(0);
    side.begin(1);
    EXPECT_EQ(side.exchange.num_in_flight(), 2);
    EXPECT_THAT(message_of<ArgumentError>([&] { side.exchange.begin(side.exec, side.x); }),
                HasSubstr("a third exchange begun while two are on their way"));
    side.exchange.end(side.exec);
    EXPECT_EQ(side.num_wrong(0), 0);
    side.exchange.end(side.exec);
    EXPECT_EQ(side.num_wrong(1), 0);
    EXPECT_THROW(side.exchange.end(side.exec), ArgumentError);
    side.begin(2);
    side.exchange.end(side.exec);
    EXPECT_EQ(side.num_wrong(2), 0);
  });
}

TEST(HaloExchange, RefusesVectorsOfAnotherShape) {
  const Needs needs = chain_needs(RowPartition::even(8, 2));
  run_ranks(2, [&](Communicator& comm) {
    Side side(comm, needs, HaloForm::automatic, 3);
    const Kokkos::View<double*, Space> x(Kokkos::view_alloc(side.exec, std::string("test::x")), 4);
    const Kokkos::View<double**, Space> two(Kokkos::view_alloc(side.exec, std::string("test::x")), 12, 2);
    EXPECT_THAT(message_of<ShapeError>([&] { side.exchange.begin(side.exec, x); }),
                AllOf(HasSubstr("1 vectors of 4 rows"), HasSubstr("1 vectors of 12 rows: 4 block entries of 3")));
    EXPECT_THAT(message_of<ShapeError>([&] { side.exchange.begin(side.exec, two); }),
                HasSubstr("2 vectors of 12 rows"));
    side.begin(1);
    side.exchange.end(side.exec);
    EXPECT_EQ(side.num_wrong(1), 0);
  });
}

TEST(HaloExchange, RefusesOnAllRanksWhatTheyDisagreeAbout) {
  const Needs needs = chain_needs(RowPartition::even(9, 3));
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = own_instance();
    const HaloPlan plan(comm, needs.partition, needs.at(comm.rank()));
    const bool differs = comm.rank() == 2;
    const auto make = [&](const HaloPlan& with, int block_size, int num_vectors) {
      HaloExchange<double, Exec>(exec, comm, with, block_size, num_vectors);
    };
    EXPECT_THAT(message_of<ArgumentError>([&] { make(plan, differs ? 2 : 3, 1); }),
                HasSubstr("halo: blocks of 2 on rank 2, 3 on rank 0"));
    EXPECT_THAT(message_of<ArgumentError>([&] { make(plan, 3, differs ? 4 : 1); }),
                HasSubstr("vectors 4 on rank 2, 1 on rank 0"));
    EXPECT_THAT(message_of<Error>([&] { make(plan, differs ? 0 : 3, 1); }), HasSubstr("with blocks of 0"));
    EXPECT_THAT(message_of<Error>([&] { make(differs ? HaloPlan() : plan, 3, 1); }),
                HasSubstr("a plan of rank 0 of 1 on rank 2 of 3"));
    // Of two plans one each.
    const Needs more = random_needs(needs.partition, 1, 27);
    const HaloPlan other(comm, more.partition, more.at(comm.rank()));
    EXPECT_THAT(message_of<Error>([&] { make(differs ? other : plan, 3, 1); }), HasSubstr("bytes from rank"));
    make(plan, 3, 1);
  });
}

TEST(HaloExchange, GivesUpWhatWasBegunAndNotEnded) {
  // Rank 0 leaves in the midst of it. Nobody is to crash, and its buffers go only when nobody writes there.
  const Needs needs = random_needs(RowPartition::even(12, 2), 1, 28);
  const auto fail = [&] {
    run_ranks(2, [&](Communicator& comm) {
      Side side(comm, needs);
      side.begin(0);
      if (comm.rank() == 0) throw std::runtime_error("left");
      side.exchange.end(side.exec);
      side.begin(1);
      side.exchange.end(side.exec);
    });
  };
  EXPECT_EQ(message_of<std::runtime_error>(fail), "left");
}

TEST(HaloExchange, OfOneRankAloneDoesNothing) {
  const Communicator alone;
  Side side(alone, chain_needs(RowPartition::even(5, 1)));
  side.begin(0);
  side.exchange.end(side.exec);
  EXPECT_EQ(side.exchange.halo().size(), 0U);
  side.begin(1);
  EXPECT_EQ(side.exchange.next_arrived(side.exec), -1);
}

TEST(HaloExchange, CountsItsBytes) {
  const Needs needs = chain_needs(RowPartition::even(9, 3));
  run_ranks(3, [&](Communicator& comm) {
    const Side side(comm, needs, HaloForm::packed, 3);
    const int neighbours = comm.rank() == 1 ? 2 : 1;
    EXPECT_EQ(side.exchange.bytes_sent(), neighbours * 3 * 8);
    EXPECT_EQ(side.exchange.bytes_received(), neighbours * 3 * 8);
    const HeldBytes held = side.exchange.bytes();
    EXPECT_GE(held.device + held.host, static_cast<std::uint64_t>(3 * 2 * neighbours * 3 * 8));
  });
}

}  // namespace
}  // namespace ashlar::testing
