#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/text.hpp>
#include <ashlar/comm/direct_messages.hpp>
#include <ashlar/comm/transport.hpp>
#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "comm/claiming_transport.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Exec = Kokkos::DefaultHostExecutionSpace;

constexpr MemoryKind kind = memory_kind_of<Exec::memory_space>;
static_assert(kind == MemoryKind::host);

DirectMessages found_on(const Communicator& comm) { return find_direct_messages(rank_instance<Exec>(), comm); }

/// What all ranks find is the same; that.
DirectMessages found_by_all(const Communicator& comm) {
  const DirectMessages found = found_on(comm);
  for (const std::string& why : comm.all_gather(text(found.work, found.why))) {
    EXPECT_EQ(why, text(found.work, found.why));
  }
  return found;
}

TEST(DirectMessages, HostMemoryNeedsNoTrial) {
  run_ranks(3, [](Communicator& comm) {
    EXPECT_TRUE(found_by_all(comm).work);
    EXPECT_EQ(comm.direct_messages(kind), nullptr);
    EXPECT_THAT(comm.explain(), Not(HasSubstr("device memory")));
  });
  EXPECT_TRUE(found_on(Communicator()).work);
}

TEST(DirectMessages, AreTakenWhereAllBytesCameRight) {
  for (const int ranks : {2, 3, 4}) {
    for (const int hosts : {1, 2}) {
      const auto log = std::make_shared<ClaimingLog>();
      run_ranks(ranks,
                [&](Communicator& threads) {
                  const Communicator comm = claiming(threads, {}, log);
                  EXPECT_TRUE(found_by_all(comm).work);
                  EXPECT_THAT(comm.explain(),
                              HasSubstr("messages go from and to device memory (tried with 8 to 8388608 bytes)"));
                },
                {.max_delay = std::chrono::microseconds(200), .rendezvous = ranks == 3, .hosts = hosts});
      EXPECT_GE(log->num_received(), ranks * 2 * 5);
    }
  }
}

TEST(DirectMessages, AreRefusedWhereOneClassOfSizesComesWrong) {
  for (const std::size_t bytes : {8U, 4096U, 65536U, 1048576U, 8388608U}) {
    run_ranks(2, [&](Communicator& threads) {
      const Communicator comm = claiming(threads, wrong_at(bytes));
      const DirectMessages found = found_by_all(comm);
      EXPECT_FALSE(found.work);
      EXPECT_THAT(found.why, HasSubstr(text("came back wrong at ", bytes, " bytes")));
      EXPECT_THAT(comm.explain(), HasSubstr(text("messages are staged through pinned memory (", found.why, ")")));
    });
  }
}

TEST(DirectMessages, AllRanksAgreeWhereOneIsWrong) {
  for (int guilty = 0; guilty < 4; ++guilty) {
    run_ranks(4, [&](Communicator& threads) {
      const DirectMessages found = found_by_all(claiming(threads, wrong_at(4096, guilty)));
      EXPECT_FALSE(found.work);
      EXPECT_THAT(found.why, AllOf(HasSubstr("wrong at 4096 bytes"), HasSubstr(text("on rank ", guilty))));
    });
  }
}

TEST(DirectMessages, AreRefusedWhereTheSecondMessageBringsTheFirst) {
  // Like a library that caches registered memory.
  for (const std::size_t size : {std::size_t(8), std::size_t(65536)}) {
    run_ranks(2, [size](Communicator& threads) {
      const auto first = std::make_shared<std::vector<unsigned char>>();
      ClaimingOptions options;
      options.spoil = [first, size](const Came& came) {
        if (came.bytes != size) return;
        if (came.start == 0) first->assign(came.data, came.data + size);
        if (came.start == 1) std::memcpy(came.data, first->data(), size);
      };
      EXPECT_THAT(found_by_all(claiming(threads, options)).why, HasSubstr(text("wrong at ", size, " bytes")));
    });
  }
}

TEST(DirectMessages, AreRefusedWhereBytesBesideThemChange) {
  for (const bool before : {false, true}) {
    run_ranks(2, [before](Communicator& threads) {
      ClaimingOptions options;
      options.spoil = [before](const Came& came) {
        unsigned char* const place = before ? came.data - 1 : came.data + came.bytes;
        if (came.bytes == 4096) *place ^= 1U;
      };
      EXPECT_THAT(found_by_all(claiming(threads, options)).why, HasSubstr("wrong at 4096 bytes"));
    });
  }
}

TEST(DirectMessages, AreRefusedWhereRanksOfOneHostHaveWrongOnes) {
  // Ranks alternate between two hosts, so that no rank is beside the next one.
  run_ranks(4, [](Communicator& threads) {
    ClaimingOptions options;
    options.host_name = [](int rank) { return std::string(rank % 2 == 0 ? "even" : "odd"); };
    options.spoil = [](const Came& came) {
      if ((came.rank - came.from) % 2 == 0) came.data[0] ^= 1U;
    };
    EXPECT_THAT(found_by_all(claiming(threads, options)).why, HasSubstr("wrong at 8 bytes"));
  });
}

TEST(DirectMessages, AreNotTriedWhereARankDoesNotClaimThem) {
  const auto log = std::make_shared<ClaimingLog>();
  run_ranks(3, [&](Communicator& threads) {
    ClaimingOptions options;
    options.claims = [](int rank) { return rank != 1; };
    const DirectMessages found = found_by_all(claiming(threads, options, log));
    EXPECT_FALSE(found.work);
    EXPECT_THAT(found.why, HasSubstr("claiming does not say on rank 1 that it takes host memory"));
  });
  EXPECT_EQ(log->num_received(), 0);
}

TEST(DirectMessages, WhatTheTransportThrowsIsAnAnswer) {
  run_ranks(2, [](Communicator& threads) {
    ClaimingOptions options;
    options.spoil = [](const Came& came) {
      if (came.bytes == 65536) throw CommError("no such memory", "a test", "none");
    };
    const DirectMessages found = found_by_all(claiming(threads, options));
    EXPECT_FALSE(found.work);
    EXPECT_THAT(found.why, HasSubstr("no such memory"));
  });
}

TEST(DirectMessages, AreTriedOnceForAGroupAndThoseSplitFromIt) {
  const auto log = std::make_shared<ClaimingLog>();
  run_ranks(3, [&](Communicator& threads) {
    const Communicator comm = claiming(threads, wrong_at(8), log);
    const DirectMessages found = found_by_all(comm);
    const int received = threads.broadcast(log->num_received());
    EXPECT_EQ(received, 6);
    const Communicator part = comm.split(comm.rank() % 2, 0);
    if (!part.is_alone()) {
      EXPECT_EQ(found_on(part).why, found.why);
    }
    EXPECT_EQ(found_by_all(comm).why, found.why);
    EXPECT_EQ(found_by_all(comm.duplicate()).why, found.why);
    threads.barrier();
    EXPECT_EQ(log->num_received(), received);
  });
}

}  // namespace
}  // namespace ashlar::testing
