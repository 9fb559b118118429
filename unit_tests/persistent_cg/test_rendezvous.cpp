// The memory that the kernels of all ranks share: which they get, when it is made again, and what happens if a rank has
// no kernel or fails.
#include <gmock/gmock.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/persistent_cg/rendezvous.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <support/thread_ranks.hpp>
#include <vector>

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Exec = Kokkos::DefaultExecutionSpace;
using Ranks = CgRanks<double>;

constexpr int b = 2;
constexpr std::int64_t entries = 5, needed = 3;

/// Each rank needs the last entries of the next one.
HaloPlan ring(const Communicator& comm) {
  const std::int64_t next = (comm.rank() + 1) % comm.size();
  std::vector<std::int64_t> of_next;
  for (std::int64_t i = entries - needed; i < entries; ++i) of_next.push_back(next * entries + i);
  return {comm, RowPartition::even(entries * comm.size(), comm.size()), of_next, {.form = HaloForm::packed}};
}

std::shared_ptr<CgRendezvous<double>> rendezvous_of(const Exec& exec, const Communicator& comm, const HaloPlan& halo) {
  return cg_rendezvous<double>(exec, comm, halo, b);
}

/// As if each rank had a device.
const Ranks* connect(CgRendezvous<double>& rendezvous, const Communicator& comm, int thread_blocks) {
  return rendezvous.connect(thread_blocks, text("device ", comm.rank()));
}

/// Row r of entry i of a rank's vector.
KOKKOS_FUNCTION double value_of(int rank, std::int64_t i, int r) { return 1000 * rank + 10 * double(i) + r; }

void send_halo(const Exec& exec, const Ranks& ranks) {
  Kokkos::parallel_for(
      "test::send", Kokkos::RangePolicy<Exec>(exec, 0, ranks.num_sends), KOKKOS_LAMBDA(int k) {
        const Ranks::Send send = ranks.sends[k];
        for (int r = 0; r < b; ++r) {
          send_packet<PacketScope::system>(send.to + r, value_of(ranks.rank, send.entry, r), 1);
        }
      });
  exec.fence();
}

int num_received(const Exec& exec, const Ranks& ranks) {
  int count = 0;
  Kokkos::parallel_reduce(
      "test::receive", Kokkos::RangePolicy<Exec>(exec, 0, needed * b),
      KOKKOS_LAMBDA(int i, int& sum) {
        double value = -1;
        const bool is_there = receive_packet<PacketScope::system>(ranks.halo + i, 1, value);
        const int next = (ranks.rank + 1) % ranks.num_ranks;
        sum += is_there && value == value_of(next, entries - needed + i / b, i % b) ? 1 : 0;
      },
      count);
  return count;
}

TEST(CgRendezvousTest, GivesEachRankTheMemoryOfTheOthers) {
  for (const int size : {2, 3}) {
    run_ranks(size, [](Communicator& comm) {
      const auto exec = rank_instance<Exec>();
      const auto rendezvous = rendezvous_of(exec, comm, ring(comm));
      const Ranks* const ranks = connect(*rendezvous, comm, 2 + comm.rank());
      ASSERT_NE(ranks, nullptr) << rendezvous->why_not();
      EXPECT_EQ(ranks->num_ranks, comm.size());
      EXPECT_EQ(ranks->rank, comm.rank());
      for (int rank = 0, first = 0; rank <= comm.size(); first += 2 + rank++) {
        EXPECT_EQ(ranks->first_block[rank], first);
      }
      EXPECT_EQ(ranks->num_sends, needed);
      send_halo(exec, *ranks);
      comm.barrier();
      EXPECT_EQ(num_received(exec, *ranks), needed * b);
    });
  }
}

TEST(CgRendezvousTest, MakesItsMemoryAgainOnlyIfItMust) {
  run_ranks(2, [](Communicator& comm) {
    const auto exec = rank_instance<Exec>();
    const auto rendezvous = rendezvous_of(exec, comm, ring(comm));
    ASSERT_NE(connect(*rendezvous, comm, 4), nullptr);
    std::uint64_t before = rendezvous->generation();
    ASSERT_NE(connect(*rendezvous, comm, 4), nullptr);
    EXPECT_EQ(rendezvous->generation(), before) << "as many thread blocks";
    EXPECT_EQ(connect(*rendezvous, comm, comm.rank() == 0 ? 4 : 0), nullptr);
    EXPECT_EQ(rendezvous->generation(), before) << "earlier kernels still have their memory";

    ASSERT_NE(connect(*rendezvous, comm, comm.rank() == 0 ? 5 : 4), nullptr);
    EXPECT_NE(rendezvous->generation(), before) << "one rank has more thread blocks";
    before = rendezvous->generation();
    if (comm.rank() == 1) rendezvous->invalidate();
    ASSERT_NE(connect(*rendezvous, comm, comm.rank() == 0 ? 5 : 4), nullptr);
    EXPECT_NE(rendezvous->generation(), before) << "a kernel of one rank gave up";
    EXPECT_EQ(comm.max(rendezvous->generation()), rendezvous->generation());
    EXPECT_EQ(num_received(exec, *connect(*rendezvous, comm, comm.rank() == 0 ? 5 : 4)), 0) << "nothing is left there";
  });
}

TEST(CgRendezvousTest, SaysWhyThereAreNoKernels) {
  run_ranks(2, [](Communicator& comm) {
    const auto rendezvous = rendezvous_of(rank_instance<Exec>(), comm, ring(comm));
    EXPECT_EQ(connect(*rendezvous, comm, comm.rank() == 0 ? 3 : 0), nullptr);
    EXPECT_THAT(rendezvous->why_not(), HasSubstr("rank 1 has none"));
    EXPECT_EQ(rendezvous->connect(3, "the device"), nullptr);
    EXPECT_THAT(rendezvous->why_not(), HasSubstr("ranks 0 and 1 have one device"));
    EXPECT_NE(connect(*rendezvous, comm, 3), nullptr) << rendezvous->why_not();
    EXPECT_EQ(rendezvous->why_not(), "");
  });
}

// Rank 0 sends to a rank that expects nothing: an exception of the standard library on rank 0 alone, as Kokkos throws
// if the device has no memory left.
TEST(CgRendezvousTest, HasNoKernelsOnAllRanksIfOneFails) {
  run_ranks(2, [](Communicator& comm) {
    const HaloPlan sends = ring(comm);
    const HaloPlan none(comm, RowPartition::even(2 * entries, 2), {});
    const auto rendezvous = rendezvous_of(rank_instance<Exec>(), comm, comm.rank() == 0 ? sends : none);
    for (int times = 0; times < 2; ++times) {
      EXPECT_EQ(connect(*rendezvous, comm, 3), nullptr);
      EXPECT_NE(rendezvous->why_not(), "");
      if (comm.rank() == 1) {
        EXPECT_THAT(rendezvous->why_not(), HasSubstr("rank 0"));
      }
    }
  });
}

}  // namespace
}  // namespace ashlar::testing
