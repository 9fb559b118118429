#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/comm/communicator.hpp>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "comm/communicator_checks.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

static_assert(!std::is_copy_constructible_v<Communicator> && std::is_nothrow_move_constructible_v<Communicator>);

class AnyCommunicator : public ::testing::TestWithParam<Check> {};
INSTANTIATE_TEST_SUITE_P(Check, AnyCommunicator, ::testing::ValuesIn(all_checks()), name_of);

TEST_P(AnyCommunicator, Alone) {
  const Communicator comm;
  EXPECT_TRUE(comm.is_alone());
  GetParam().run(comm);
}

TEST_P(AnyCommunicator, AmongThreads) {
  for (const int ranks : {1, 2, 3, 4}) {
    SCOPED_TRACE(ranks);
    run_ranks(ranks, GetParam().run);
  }
}

TEST_P(AnyCommunicator, AmongThreadsWithDelays) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    run_ranks(3, GetParam().run, {.max_delay = std::chrono::microseconds(300), .seed = seed, .hosts = 2});
  }
}

TEST_P(AnyCommunicator, AmongThreadsWhoseSendsWait) {
  run_ranks(4, GetParam().run, {.max_delay = std::chrono::microseconds(100), .rendezvous = true, .hosts = 3});
}

TEST(CommunicatorAlone, SaysWhatItIs) {
  const Communicator comm;
  EXPECT_EQ(comm.explain(), "self: 1 rank on 1 host");
  EXPECT_EQ(comm.rank(), 0);
}

TEST(CommunicatorAlone, MessagesToOthersAreRefused) {
  const Communicator comm;
  int data = 0;
  try {
    comm.send(&data, sizeof data, 1, 0);
    ADD_FAILURE() << "no error";
  } catch (const CommError& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("there is no rank 1 to send to (this rank is alone); "));
  }
}

TEST(CommunicatorAlone, AHostMayBeGivenAName) {
  ::setenv("ASHLAR_HOST_NAME", "rack7", 1);
  EXPECT_EQ(Communicator().transport().host_name(), "rack7");
  ::unsetenv("ASHLAR_HOST_NAME");
  EXPECT_NE(Communicator().transport().host_name(), "rack7");
}

TEST(CommunicatorDeathTest, AbortSaysWhyAndEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(Communicator().abort("no more room (the disk is full); free some", 3), ::testing::ExitedWithCode(3),
              "ashlar: rank 0: no more room \\(the disk is full\\); free some\n$");
}

}  // namespace
}  // namespace ashlar::testing
