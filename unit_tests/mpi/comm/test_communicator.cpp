#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <ashlar/base/text.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "comm/communicator_checks.hpp"
#include "support/message.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

class MpiCommunicator : public ::testing::TestWithParam<Check> {};
INSTANTIATE_TEST_SUITE_P(Check, MpiCommunicator, ::testing::ValuesIn(all_checks()), name_of);

TEST_P(MpiCommunicator, OverMpi) { GetParam().run(world()); }

TEST_P(MpiCommunicator, OverMpiInPieces) {
  // Does not divide the size of any message of the checks.
  const std::size_t piece = GetParam().name == std::string("ring_of_long_messages") ? 99999 : 13;
  GetParam().run(borrow_mpi(MPI_COMM_WORLD, {.largest_piece = piece}));
}

TEST(Mpi, SaysWhatItIs) {
  EXPECT_THAT(world().explain(), HasSubstr(", thread level "));
  EXPECT_THAT(world().explain(), HasSubstr(", persistent requests"));
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(world().size(), size);
}

TEST(Mpi, RanksMayActAsThoseOfSeveralHosts) {
  ::setenv("ASHLAR_HOST_NAME", world().rank() % 2 == 0 ? "even" : "odd", 1);
  const Communicator comm = borrow_mpi(MPI_COMM_WORLD);
  ::unsetenv("ASHLAR_HOST_NAME");
  check_split_by_host(comm);
  const int even = (comm.size() + 1) / 2;
  EXPECT_EQ(comm.split_by_host().size(), comm.rank() % 2 == 0 ? even : comm.size() - even);
  EXPECT_EQ(comm.transport().num_hosts(), comm.is_alone() ? 1 : 2);
  EXPECT_THAT(comm.explain(), HasSubstr(comm.is_alone() ? "1 rank on 1 host, " : " ranks on 2 hosts, "));
}

TEST(Mpi, AMessageOfTheCallersNeverMeetsOurs) {
  const Communicator comm = borrow_mpi(MPI_COMM_WORLD);
  if (comm.is_alone()) GTEST_SKIP() << "one rank sends nothing";
  const int left = neighbour(comm, -1), right = neighbour(comm, 1);
  // The caller takes any message from anybody.
  int callers = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&callers, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);

  const int to = comm.rank();
  int from = -1;
  const auto send = comm.send(&to, sizeof to, right, 4), receive = comm.receive(&from, sizeof from, left, 4);
  receive->start();
  send->start();
  send->wait();
  receive->wait();
  EXPECT_EQ(comm.sum(1), comm.size());
  EXPECT_EQ(from, left);
  int has_come = 1;
  MPI_Test(&request, &has_come, MPI_STATUS_IGNORE);
  EXPECT_FALSE(has_come);
  comm.barrier();  // Nobody sends before all have looked.

  const int own = 500 + comm.rank();
  MPI_Send(&own, 1, MPI_INT, right, 4, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(callers, 500 + left);
}

TEST(Mpi, TheCallersCommunicatorMayGo) {
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world().rank(), &reversed);
  const Communicator comm = borrow_mpi(reversed);
  MPI_Comm_free(&reversed);
  std::vector<int> expected = ranks_of(world());
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(comm.all_gather(world().rank()), expected);
}

TEST(Mpi, TheCallersErrorHandlerStays) {
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &mine);
  MPI_Comm_set_errhandler(mine, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler before = MPI_ERRHANDLER_NULL, after = MPI_ERRHANDLER_NULL;
  {
    const Communicator comm = borrow_mpi(mine);
    MPI_Comm_get_errhandler(mine, &before);
    EXPECT_EQ(comm.duplicate().sum(1), 1);
  }
  MPI_Comm_get_errhandler(mine, &after);
  EXPECT_EQ(before, MPI_ERRORS_ARE_FATAL);
  EXPECT_EQ(after, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&mine);
}

TEST(Mpi, CommunicatorsAreFreedWithTheirOwners) {
  // MPI has room for some thousands; each of these has two.
  for (int i = 0; i < 5000; ++i) {
    const Communicator comm = borrow_mpi(MPI_COMM_SELF);
    const Communicator part = comm.split(0, 0);
    ASSERT_TRUE(part.is_alone());
  }
}

TEST(Mpi, AnErrorOfMpiIsAnExceptionWithItsText) {
  const Communicator comm = world().duplicate();
  if (comm.is_alone()) GTEST_SKIP() << "one rank sends nothing";
  const std::vector<int> to(4, 1);
  int from = 0;
  const auto send = comm.send(to.data(), 4 * sizeof(int), neighbour(comm, 1), 0);
  const auto receive = comm.receive(&from, sizeof from, neighbour(comm, -1), 0);
  receive->start();
  send->start();
  EXPECT_THAT(message_of<CommError>([&] { receive->wait(); }), HasSubstr("MPI_ERR_TRUNCATE"));
  send->wait();
}

TEST(Mpi, BadCommunicatorsAreRefused) {
  EXPECT_THAT(message_of<ArgumentError>([] { borrow_mpi(MPI_COMM_NULL); }), HasSubstr("MPI_COMM_NULL"));
  for (const std::size_t piece : {std::size_t{0}, std::size_t{1} << 31}) {
    EXPECT_THROW(borrow_mpi(MPI_COMM_WORLD, {.largest_piece = piece}), ArgumentError);
  }
  if (world().is_alone()) return;
  // Even ranks on one side, odd ones on the other.
  MPI_Comm half = MPI_COMM_NULL, joined = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world().rank() % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - world().rank() % 2, 0, &joined);
  EXPECT_THAT(message_of<ArgumentError>([&] { borrow_mpi(joined); }), HasSubstr("joins two groups"));
  MPI_Comm_free(&joined);
  MPI_Comm_free(&half);
}

TEST(Mpi, ASessionWithinASessionEndsNothing) {
  {
    const MpiSession inner;
    EXPECT_EQ(inner.world().size(), world().size());
    EXPECT_GE(inner.thread_level(), MPI_THREAD_FUNNELED);
  }
  int ended = 1;
  MPI_Finalized(&ended);
  EXPECT_FALSE(ended);
  world().barrier();
}

TEST(Mpi, AThreadLevelThatIsTooLowIsRefused) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI gives all there is";
  EXPECT_THAT(message_of<CommError>([] { const MpiSession session(MPI_THREAD_MULTIPLE); }),
              ::testing::AllOf(HasSubstr("thread level funneled"), HasSubstr("needs multiple")));
}

}  // namespace
}  // namespace ashlar::testing
