#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/halo/neighbour_exchange.hpp>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "halo/exchange_cases.hpp"
#include "halo/kernel_cases.hpp"
#include "support/message.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using std::chrono::microseconds;
using ::testing::HasSubstr;
using Bytes = Kokkos::View<std::byte*, Space>;
using HostBytes = Kokkos::View<std::byte*, Kokkos::HostSpace>;

/// A message of its own length to each other rank, its bytes told by the round.
struct AllToAll {
  AllToAll(const Communicator& comm, const ExchangeOptions& options) : exec(own_instance()), rank(comm.rank()) {
    std::int64_t sent = 0, came = 0;
    for (int other = 0; other < comm.size(); ++other) {
      if (other == rank) continue;
      to.push_back({other, sent, length(rank, other)});
      from.push_back({other, came, length(other, rank)});
      sent += to.back().count;
      came += from.back().count;
    }
    exchange.emplace_back(exec, comm, to, from, options);
  }

  /// Messages of whole words, and not; for one team, and for several.
  static std::int64_t length(int source, int target) {
    return 7 + 5 * source + 20000 * target + (source == 1 && target == 0 ? 8192 : 0);
  }
  static std::byte value(int source, int target, std::int64_t i, int round) {
    return std::byte(source * 50 + target * 10 + int(i % 97) + round);
  }

  void start(int round) {
    std::byte* const buffer = exchange[0].open(exec);
    HostBytes packed("test::packed", std::size_t(exchange[0].bytes_sent()));
    for (const NeighbourMessage& message : to) {
      for (std::int64_t i = 0; i < message.count; ++i) {
        packed(std::size_t(message.begin + i)) = value(rank, message.rank, i, round);
      }
    }
    Kokkos::deep_copy(exec, Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>(buffer, packed.size()), packed);
    exchange[0].start(exec);
  }
  std::int64_t num_wrong_after_finish(int round) {
    exchange[0].finish(exec);
    HostBytes came("test::came", std::size_t(exchange[0].bytes_received()));
    Kokkos::deep_copy(
        exec, came,
        Kokkos::View<const std::byte*, Space, Kokkos::MemoryUnmanaged>(exchange[0].received(), came.size()));
    exec.fence("test::came");
    std::int64_t wrong = 0;
    for (const NeighbourMessage& message : from) {
      for (std::int64_t i = 0; i < message.count; ++i) {
        wrong += came(std::size_t(message.begin + i)) != value(message.rank, rank, i, round);
      }
    }
    return wrong;
  }

  Exec exec;
  int rank;
  std::vector<NeighbourMessage> to, from;
  std::vector<NeighbourExchange<Exec>> exchange;  // one
};

/// Kernels that wait for each other's ranks are on different threads.
struct KernelsThatWait : ::testing::Test {
  void SetUp() override {
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
    GTEST_SKIP() << "this Kokkos has no threads: ranks take turns, and none waits in a kernel";
#endif
    if (is_gpu_v<Exec>) GTEST_SKIP() << "ranks that share a device: what allocates waits for kernels that wait for it";
  }
};

/// By flags alone, and with packets of short messages.
struct ExchangeInKernels : KernelsThatWait, ::testing::WithParamInterface<std::int64_t> {
  static std::int64_t packet_bytes() { return GetParam(); }
  static ExchangeOptions options() { return {.mode = ExchangeMode::kernel, .packet_bytes = packet_bytes()}; }
};
INSTANTIATE_TEST_SUITE_P(PacketBytes, ExchangeInKernels, ::testing::Values(0, 16384));

TEST(ExchangeModes, BytesOfAnyLengthCome) {
  for (const HaloBuffers buffers : {HaloBuffers::automatic, HaloBuffers::staged}) {
    run_ranks(3, [&](Communicator& comm) {
      AllToAll side(comm, {ExchangeMode::blocking, buffers});
      for (int round = 0; round < 3; ++round) {
        side.start(round);
        EXPECT_EQ(side.num_wrong_after_finish(round), 0);
      }
      EXPECT_EQ(side.exchange[0].mode(), ExchangeMode::blocking);
    });
  }
}

TEST_P(ExchangeInKernels, BytesOfAnyLengthCome) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    run_ranks(ranks, [&](Communicator& comm) {
      AllToAll side(comm, options());
      side.start(0);
      for (int round = 1; round < 8; ++round) {
        side.start(round);
        EXPECT_EQ(side.num_wrong_after_finish(round - 1), 0);
      }
      EXPECT_EQ(side.num_wrong_after_finish(7), 0);
      EXPECT_EQ(side.exchange[0].mode(), ExchangeMode::kernel);
      EXPECT_THAT(side.exchange[0].explain(), HasSubstr("by kernels"));
      // The message from rank 1 to rank 0 is short and has whole words.
      const bool has_packets = packet_bytes() > 0 && comm.rank() == 0 && ranks > 1;
      const std::string packets = has_packets ? "1 of " + count_text(ranks - 1, "message") + " as packets" : "packets";
      EXPECT_EQ(side.exchange[0].explain().find(packets) != std::string::npos, has_packets);
      EXPECT_EQ(side.exchange[0].figures().received.messages, 8 * (comm.size() - 1));
    });
  }
}

TEST_P(ExchangeInKernels, BringWhatIsNeededInAllForms) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    run_ranks(ranks, [&](Communicator& comm) {
      for (const Needs& needs : needs_of_all_kinds(ranks)) {
        for (const HaloForm form : all_forms) {
          expect_right_exchanges<double>(comm, needs, form, 3, HaloBuffers::automatic, ExchangeMode::kernel,
                                         packet_bytes());
          expect_right_exchanges<Kokkos::complex<float>>(comm, needs, form, 1, HaloBuffers::automatic,
                                                         ExchangeMode::kernel, packet_bytes());
        }
      }
    });
  }
}

TEST_P(ExchangeInKernels, AThousandBackToBack) {
  const Needs needs = random_needs(RowPartition::even(40, 4), 0.3, 22), chain = chain_needs(RowPartition::even(12, 4));
  for (const bool two_in_flight : {false, true}) {
    for (const bool by_pieces : {false, true}) {
      run_ranks(4, [&](Communicator& comm) {
        expect_right_back_to_back(comm, needs, 1000, two_in_flight, by_pieces, HaloBuffers::automatic,
                                  ExchangeMode::kernel, packet_bytes());
        expect_right_back_to_back(comm, chain, 300, two_in_flight, by_pieces, HaloBuffers::automatic,
                                  ExchangeMode::kernel, packet_bytes());
      });
    }
  }
}

TEST_P(ExchangeInKernels, AThousandAtOnce) {
  const Needs needs = random_needs(RowPartition::even(40, 4), 0.3, 22), chain = chain_needs(RowPartition::even(12, 4)),
              of_several_teams = random_needs(RowPartition::even(2000, 4), 0.7, 22);
  run_ranks(4, [&](Communicator& comm) {
    expect_right_whole(comm, needs, 1000, ExchangeMode::kernel, packet_bytes());
    expect_right_whole(comm, chain, 300, ExchangeMode::kernel, packet_bytes());
    expect_right_whole(comm, of_several_teams, 20, ExchangeMode::kernel, packet_bytes());
  });
}

TEST(ExchangeModes, AtOnce) {
  const Needs needs = random_needs(RowPartition::even(40, 4), 0.3, 22);
  run_ranks(4, [&](Communicator& comm) { expect_right_whole(comm, needs, 100, ExchangeMode::blocking); },
            {.max_delay = microseconds(100), .seed = 5});
}

TEST_P(ExchangeInKernels, OfTheCallers) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    run_ranks(ranks, [&](Communicator& comm) { expect_right_by_kernels(comm, 1000, options()); });
  }
}

/// With messages one way alone, nothing but the number of slots holds the sender back. The neighbour tells of a slot
/// when it takes the next one.
TEST_P(ExchangeInKernels, ASenderWaitsForAReaderThatIsBehind) {
  constexpr int rounds = 12, bytes = 64, slots = 3;
  std::atomic<int> sent = 0;
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = own_instance();
    const std::vector<NeighbourMessage> message{{1 - comm.rank(), 0, bytes}}, none;
    const bool sends = comm.rank() == 0;
    NeighbourExchange<Exec> exchange(exec, comm, sends ? message : none, sends ? none : message, options());
    for (int round = 0; round < rounds; ++round) {
      std::byte* const buffer = exchange.open(exec);
      if (sends) std::fill_n(buffer, bytes, std::byte(round));
      exchange.start(exec);
      if (!sends) {
        const int most = std::min(rounds, std::max(slots, round + slots - 1));
        for (int k = 0; k < 1'000'000 && sent < most; ++k) let_others_run();
        for (int k = 0; k < 100 && sent <= most; ++k) let_others_run();  // time to run further ahead
        EXPECT_EQ(sent, most) << "before round " << round << " is read";
      }
      exchange.finish(exec);
      if (sends) ++sent;
      const std::byte* const received = exchange.received();
      if (!sends) {
        EXPECT_EQ(std::count(received, received + bytes, std::byte(round)), bytes) << "round " << round;
      }
    }
  });
}

TEST(ExchangeModes, OnlyTheKernelModeTakesKernels) {
  run_ranks(2, [&](Communicator& comm) {
    AllToAll side(comm, {ExchangeMode::blocking});
    EXPECT_FALSE(side.exchange[0].has_kernels());
    EXPECT_THAT(
        message_of<ArgumentError>([&] { side.exchange[0].start_by(side.exec, "test::none", PeerTasks<NoPeerTask>{}); }),
        HasSubstr("the mode is blocking"));
  });
}

TEST_P(ExchangeInKernels, AreReplayed) {
  const Needs needs = random_needs(RowPartition::even(40, 4), 0.3, 22);
  for (const bool is_whole : {false, true}) {
    run_ranks(4, [&](Communicator& comm) {
      expect_right_replays(comm, needs, ExchangeMode::kernel, is_whole, packet_bytes());
    });
  }
}

/// As packets go messages of whole words, at the sender's and the receiver's, up to the limit.
TEST_F(KernelsThatWait, ShortMessagesOfWholeWordsGoAsPackets) {
  run_ranks(2, [](Communicator& comm) {
    const auto comes_as_packets = [&](std::int64_t begin, std::int64_t count, std::int64_t place) {
      const bool sends = comm.rank() == 1;
      const NeighbourExchange<Exec> exchange(
          own_instance(), comm,
          sends ? std::vector{NeighbourMessage{0, begin, count}} : std::vector<NeighbourMessage>(),
          sends ? std::vector<NeighbourMessage>() : std::vector{NeighbourMessage{1, place, count}},
          {.mode = ExchangeMode::kernel, .packet_bytes = 64});
      return comm.broadcast(exchange.explain().find("of what comes 1 of 1 message as packets") != std::string::npos);
    };
    EXPECT_TRUE(comes_as_packets(0, 64, 0));
    EXPECT_TRUE(comes_as_packets(4, 4, 12));
    EXPECT_FALSE(comes_as_packets(0, 68, 0));
    EXPECT_FALSE(comes_as_packets(0, 6, 0));
    EXPECT_FALSE(comes_as_packets(2, 64, 0));
    EXPECT_FALSE(comes_as_packets(0, 64, 1));
    EXPECT_FALSE(comes_as_packets(0, 0, 0));
  });
}

TEST_F(KernelsThatWait, ACountThatNoRankHasMadeIsTold) {
  run_ranks(2, [&](Communicator& comm) {
    NumbersByKernels side(comm, {.time_out_seconds = 20});
    side.whole(0);
    EXPECT_EQ(side.num_wrong(0), 0);
    comm.barrier();
    if (comm.rank() == 1) return;
    // The flags are before what comes: first the one that says that it has.
    auto* const flags = reinterpret_cast<SharedFlag*>(const_cast<std::byte*>(side.exchange->received())) - 2;
    ASSERT_EQ(flags[0].count, 1U);
    flags[0].count = std::uint64_t(1) << 40;
    EXPECT_THAT(message_of<CommError>([&] { side.whole(1); }),
                HasSubstr("rank 0 finds a count of exchanges that no rank has made"));
    EXPECT_EQ(side.num_wrong(0), 0);  // nothing was taken
  });
}

TEST_P(ExchangeInKernels, ARankThatDoesNotComeIsTold) {
  run_ranks(2, [&](Communicator& comm) {
    ExchangeOptions short_limit = options();
    short_limit.time_out_seconds = 0.1;
    AllToAll side(comm, short_limit);
    if (comm.rank() == 1) return;
    side.start(0);
    EXPECT_THAT(message_of<CommError>([&] {
                  side.exchange[0].finish(side.exec);
                  side.exec.fence("test::late");
                  side.start(1);
                }),
                HasSubstr("rank 0 has waited 0.1 s"));
  });
}

TEST(ExchangeModes, RanksOnSeveralHostsShareNoMemory) {
  run_ranks(2,
            [](Communicator& comm) {
              EXPECT_THAT(message_of<CommError>([&] { AllToAll(comm, {ExchangeMode::kernel}); }),
                          HasSubstr("they are on 2 hosts"));
            },
            {.hosts = 2});
}

TEST(ExchangeModes, PacketsOfLessThanNothingAreRefused) {
  run_ranks(2, [](Communicator& comm) {
    const auto refused = [](const auto& make) {
      EXPECT_THAT(message_of<ArgumentError>(make), HasSubstr("packets for messages of up to -1 bytes"));
    };
    refused([&] { AllToAll(comm, {.mode = ExchangeMode::blocking, .packet_bytes = -1}); });
    refused([&] { HaloPlan(comm, RowPartition::even(4, 2), Numbers{}, {.packet_bytes = -1}); });
    refused([&] { HaloPlan::from_lists(comm, 2, Numbers(2), {{}, {}}, HaloBuffers::automatic, 30, -1); });
  });
}

TEST(ExchangeModes, MustBeTheSameOnAllRanks) {
  run_ranks(2, [](Communicator& comm) {
    const ExchangeMode mine = comm.rank() == 0 ? ExchangeMode::blocking : ExchangeMode::kernel;
    EXPECT_THAT(message_of<ArgumentError>([&] { AllToAll(comm, {mine}); }), HasSubstr("in mode kernel"));
  });
}

}  // namespace
}  // namespace ashlar::testing
