// Messages in the order of streams: the ranks that can send them, and the known data that try them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/comm/check_stream_transport.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <memory>
#include <string>

#include "support/host_streams.hpp"
#include "support/message.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::shared_ptr<HostStreams> host_streams(const Communicator& comm, MemoryKind kind = MemoryKind::host) {
  return std::make_shared<HostStreams>(comm.duplicate(), std::make_shared<HostStreams::Log>(), kind);
}

TEST(StreamTransport, IsThereWhereAllRanksHaveIt) {
  run_ranks(3, [](Communicator& comm) {
    const auto without = find_stream_messages(comm, MemoryKind::host);
    EXPECT_FALSE(without.work);
    EXPECT_EQ(without.why, "rank 0 has no transport for streams");
    const auto streams = host_streams(comm);
    if (comm.rank() != 1) comm.use_stream_transport(streams);
    if (comm.rank() == 1) comm.use_stream_transport(nullptr, "no card");
    const auto partly = find_stream_messages(comm, MemoryKind::host);
    EXPECT_FALSE(partly.work);
    EXPECT_EQ(partly.why, "rank 1 has no transport for streams: no card");  // on all ranks
    comm.use_stream_transport(streams);
    const auto with = find_stream_messages(comm, MemoryKind::host);
    EXPECT_TRUE(with.work);
    EXPECT_EQ(with.why, "messages of the host");
    EXPECT_THAT(comm.explain(), HasSubstr("; on streams messages of the host"));
  });
}

TEST(StreamTransport, IsOfTheMemoryThatRanksComputeIn) {
  run_ranks(2, [](Communicator& comm) {
    comm.use_stream_transport(host_streams(comm, MemoryKind::cuda));
    const auto other = find_stream_messages(comm, MemoryKind::host);
    EXPECT_FALSE(other.work);
    EXPECT_THAT(other.why, AllOf(HasSubstr("rank 0 computes in host memory"), HasSubstr("takes CUDA memory")));
    EXPECT_TRUE(find_stream_messages(comm, MemoryKind::cuda).work);
    // One rank on the host, the other on a device, each with its own.
    const auto mine = comm.rank() == 0 ? MemoryKind::host : MemoryKind::cuda;
    comm.use_stream_transport(host_streams(comm, mine));
    EXPECT_FALSE(find_stream_messages(comm, mine).work);
  });
}

TEST(StreamTransport, GoesOverToGroupsThatAreSplit) {
  run_ranks(4, [](Communicator& comm) {
    comm.use_stream_transport(host_streams(comm));
    const Communicator twin = comm.duplicate(), half = comm.split(comm.rank() / 2, -comm.rank());
    EXPECT_EQ(twin.stream_transport(), comm.stream_transport());
    EXPECT_EQ(half.stream_transport(), comm.stream_transport());
    // One of the group's own knows the ranks by their numbers there.
    const auto own = half.stream_transport()->make_for(half);
    const int mine = 10 * comm.rank();
    int all[2] = {-1, -1};
    own->all_gather(&mine, sizeof mine, all, nullptr);
    const int first = comm.rank() / 2 * 2;
    EXPECT_EQ(all[0], 10 * (first + 1));
    EXPECT_EQ(all[1], 10 * first);
  });
}

TEST(StreamTransport, IsTriedWithKnownData) {
  for (const int ranks : {1, 2, 3}) {
    run_ranks(ranks, [&](Communicator& comm) {
      HostStreams streams(comm.duplicate());
      const Kokkos::DefaultHostExecutionSpace exec = rank_instance();
      check_stream_transport(exec, comm, streams);
    });
  }
}

TEST(StreamTransport, IsRefusedWhereKnownDataComeBackWrong) {
  // The third message of rank 1, which is of 65536 bytes, comes to rank 2 with a bit flipped.
  run_ranks(3,
            [](Communicator& comm) {
              const auto log = std::make_shared<HostStreams::Log>();
              HostStreams streams(comm.duplicate(), log);
              const Kokkos::DefaultHostExecutionSpace exec = rank_instance();
              const auto check = [&] { check_stream_transport(exec, comm, streams); };
              EXPECT_THAT(message_of<Error>(check),
                          AllOf(HasSubstr("host: a message of 65536 bytes on a stream came back wrong"),
                                HasSubstr("on rank 2")));
              EXPECT_EQ(log->aborted, 1);
            },
            {.corrupt = {.rank = 1, .message = 2}});
}

TEST(StreamTransport, IsAbortedWhereItFailsWhenTried) {
  run_ranks(2, [](Communicator& comm) {
    const auto log = std::make_shared<HostStreams::Log>();
    log->failing = 1;
    HostStreams streams(comm.duplicate(), log);
    const Kokkos::DefaultHostExecutionSpace exec = rank_instance();
    const auto check = [&] { check_stream_transport(exec, comm, streams); };
    EXPECT_THAT(message_of<CommError>(check), HasSubstr("an exchange failed"));
    EXPECT_EQ(log->aborted, 1);
    EXPECT_THAT(message_of<CommError>(check), HasSubstr("it has been aborted"));
  });
}

}  // namespace
}  // namespace ashlar::testing
