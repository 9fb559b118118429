#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/halo/halo_plan.hpp>
#include <string>
#include <vector>

#include "halo/needs.hpp"
#include "support/message.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A whole plan against one computed from the needs of all ranks.
void expect_right(const Needs& needs, const HaloPlan& plan, HaloForm form) {
  const int rank = plan.rank();
  EXPECT_EQ(plan.num_own(), needs.partition.size(rank));

  const Numbers halo = entries_of_halo(needs, plan);
  EXPECT_EQ(plan.num_entries(), static_cast<std::int64_t>(halo.size()));
  for (const std::int64_t entry : needs.at(rank)) {
    const std::int64_t position = plan.position(entry);
    ASSERT_TRUE(position >= 0 && position < plan.num_entries());
    EXPECT_EQ(halo[static_cast<std::size_t>(position)], entry);
  }

  std::vector<int> sources, targets, from_ranks, to_ranks;
  for (int other = 0; other < plan.num_ranks(); ++other) {
    if (!needs.between(rank, other).empty()) sources.push_back(other);
    if (!needs.between(other, rank).empty()) targets.push_back(other);
  }
  std::int64_t begin = 0;
  for (const auto& from : plan.from()) {
    from_ranks.push_back(from.rank);
    EXPECT_EQ(from.begin, begin);
    begin += from.count;
    EXPECT_NE(from.form, HaloForm::automatic);
    EXPECT_EQ(from.form, form == HaloForm::automatic ? from.form : form);
  }
  EXPECT_EQ(begin, plan.num_entries());
  EXPECT_EQ(from_ranks, sources);

  // Each rank sends the entries of its own that the halo of the other has.
  std::int64_t num_listed = 0;
  for (const auto& to : plan.to()) {
    to_ranks.push_back(to.rank);
    std::vector<HaloForm> form_of(static_cast<std::size_t>(plan.num_ranks()), to.form);
    Numbers expected, sent;
    for (const std::int64_t entry : entries_of_halo(needs, to.rank, form_of)) {
      if (needs.partition.owner(entry) == rank) expected.push_back(entry - needs.partition.begin(rank));
    }
    for (std::int64_t i = 0; i < to.count; ++i) {
      sent.push_back(to.form == HaloForm::packed ? plan.send_index()[static_cast<std::size_t>(to.begin + i)]
                                                 : to.first + i);
    }
    EXPECT_EQ(sent, expected);
    if (to.form == HaloForm::packed) num_listed += to.count;
  }
  EXPECT_EQ(to_ranks, targets);
  EXPECT_EQ(num_listed, static_cast<std::int64_t>(plan.send_index().size()));
}

TEST(HaloPlan, MatchesWhatIsNeeded) {
  for (int ranks = 1; ranks <= 5; ++ranks) {
    for (const Needs& needs : needs_of_all_kinds(ranks)) {
      for (const HaloForm form : all_forms) {
        SCOPED_TRACE(needs.name + ", " + std::string(to_string(form)) + ", ranks: " + std::to_string(ranks));
        run_ranks(ranks, [&](Communicator& comm) {
          const HaloPlan plan(comm, needs.partition, needs.at(comm.rank()), {.form = form});
          expect_right(needs, plan, form);
          // Both ranks of a pair speak of the same form and the same length.
          std::vector<Numbers> told(static_cast<std::size_t>(comm.size()));
          for (const auto& to : plan.to()) {
            told[static_cast<std::size_t>(to.rank)] = {static_cast<std::int64_t>(to.form), to.first, to.count};
          }
          const std::vector<Numbers> heard = comm.all_to_all(told);
          for (const auto& from : plan.from()) {
            EXPECT_THAT(heard[static_cast<std::size_t>(from.rank)],
                        ElementsAre(static_cast<std::int64_t>(from.form), from.first, from.count));
          }
        });
      }
    }
  }
}

TEST(HaloPlan, RanksMayWantDifferentForms) {
  const Needs needs = random_needs(RowPartition::even(40, 4), 0.4, 3);
  run_ranks(4, [&](Communicator& comm) {
    const HaloForm form = all_forms[comm.rank()];
    expect_right(needs, HaloPlan(comm, needs.partition, needs.at(comm.rank()), {.form = form}), form);
  });
}

TEST(HaloPlan, ChoosesByCost) {
  // 1 us for 1000 entries of 8 bytes in a message, 0.5 us more to pack them, 2 us to launch that.
  const HaloOptions options{.entry_bytes = 8, .message_gb_s = 8, .pack_gb_s = 16, .pack_seconds = 2e-6};
  EXPECT_EQ(choose_halo_form(1000, 1000, 1000, options), HaloForm::whole);
  EXPECT_EQ(choose_halo_form(1000, 1000, 2000, options), HaloForm::contiguous);
  // Packed: 1 + 0.5 + 2 = 3.5 us.
  EXPECT_EQ(choose_halo_form(1000, 3400, 9000, options), HaloForm::contiguous);
  EXPECT_EQ(choose_halo_form(1000, 3600, 9000, options), HaloForm::packed);
  EXPECT_EQ(choose_halo_form(1000, 3600, 3600, options), HaloForm::packed);
  EXPECT_EQ(choose_halo_form(1000, 3400, 3400, options), HaloForm::whole);
  // A few entries far apart are not worth a launch, unless they are large.
  EXPECT_EQ(choose_halo_form(2, 1000, 9000, options), HaloForm::contiguous);
  HaloOptions large = options;
  large.entry_bytes = 80;
  EXPECT_EQ(choose_halo_form(2, 1000, 9000, large), HaloForm::packed);
  HaloOptions forced = options;
  forced.form = HaloForm::packed;
  EXPECT_EQ(choose_halo_form(1000, 1000, 1000, forced), HaloForm::packed);
}

TEST(HaloPlan, Explains) {
  const RowPartition partition({0, 8, 16, 20});
  const std::vector<Numbers> needed = {{16, 19}, {0, 3, 17}, {15}};
  run_ranks(3, [&](Communicator& comm) {
    const HaloPlan plan(comm, partition, needed[static_cast<std::size_t>(comm.rank())],
                        {.form = comm.rank() == 1 ? HaloForm::packed : HaloForm::whole});
    if (comm.rank() != 2) return;
    EXPECT_EQ(plan.explain(),
              "rank 2 of 3: 4 entries of its own, 8 in (8 whole from 1), 5 out (4 whole to 0, 1 packed to 1)");
  });
}

/// Fails on all ranks, on `guilty` with an ArgumentError of this message; none is left waiting, and the next plan is
/// right.
template <class Make>
void expect_refused(int ranks, int guilty, const std::string& message, const Make& make) {
  run_ranks(ranks, [&](Communicator& comm) {
    if (comm.rank() == guilty) {
      EXPECT_THAT(message_of<ArgumentError>([&] { make(comm); }), HasSubstr(message));
    } else {
      const std::string told = message_of<RankError>([&] { make(comm); });
      EXPECT_THAT(told, AllOf(HasSubstr(message), HasSubstr("rank " + std::to_string(guilty))));
    }
    const Needs needs = random_needs(RowPartition::even(10 * ranks, ranks), 0.4, 5);
    expect_right(needs, HaloPlan(comm, needs.partition, needs.at(comm.rank())), HaloForm::automatic);
  });
}

TEST(HaloPlan, RefusesAWrongListOnAllRanks) {
  const RowPartition partition = RowPartition::even(12, 3);
  const auto with = [&](const Numbers& wrong) {
    return [&partition, wrong](Communicator& comm) { HaloPlan(comm, partition, comm.rank() == 1 ? wrong : Numbers{}); };
  };
  expect_refused(3, 1, "rank 1 needs entry 3 (the one before in the list is 9)", with({9, 3}));
  expect_refused(3, 1, "rank 1 needs entry 9 (the one before in the list is 9)", with({9, 9}));
  expect_refused(3, 1, "rank 1 needs entry 12 (there are 12)", with({0, 12}));
  expect_refused(3, 1, "rank 1 needs entry -1", with({-1, 2}));
  expect_refused(3, 1, "rank 1 needs entry 7 (it is its own", with({3, 7, 8}));
  expect_refused(3, 1, "entries of 0 bytes", [&](Communicator& comm) {
    HaloPlan(comm, partition, Numbers{}, {.entry_bytes = comm.rank() == 1 ? 0 : 8});
  });
}

TEST(HaloPlan, RefusesAWrongPartitionOnAllRanks) {
  run_ranks(3, [&](Communicator& comm) {
    EXPECT_THAT(message_of<ArgumentError>([&] { HaloPlan(comm, RowPartition::even(12, 4), Numbers{}); }),
                HasSubstr("a partition of 4 parts on rank 0 (there are 3 ranks"));
    const int parts = comm.rank() == 2 ? 2 : 3;
    EXPECT_THAT(message_of<ArgumentError>([&] { HaloPlan(comm, RowPartition::even(12, parts), Numbers{}); }),
                HasSubstr("a partition of 2 parts on rank 2"));
    const RowPartition other(comm.rank() == 1 ? Numbers{0, 4, 9, 12} : Numbers{0, 4, 8, 12});
    EXPECT_THAT(message_of<ArgumentError>([&] { HaloPlan(comm, other, Numbers{}); }),
                HasSubstr("rank 1 has another partition than rank 0"));
    HaloPlan(comm, RowPartition::even(12, 3), Numbers{});
  });
}

TEST(HaloPlan, KnowsOnlyTheEntriesThatWereNeeded) {
  run_ranks(2, [](Communicator& comm) {
    const Numbers needed = comm.rank() == 0 ? Numbers{5, 7} : Numbers{};
    const HaloPlan plan(comm, RowPartition::even(8, 2), needed, {.form = HaloForm::whole});
    if (comm.rank() == 0) {
      EXPECT_EQ(plan.position(7), 3);
    }
    EXPECT_THAT(message_of<ArgumentError>([&] { plan.position(6); }), HasSubstr("the place of entry 6"));
  });
}

TEST(HaloPlan, OfListsOfTheCallersOwn) {
  run_ranks(3, [](Communicator& comm) {
    // Rank 0 sends to both others, one in an order of its own; rank 1 sends all it has to rank 2.
    std::vector<Numbers> send(3);
    Numbers receive(3, 0);
    if (comm.rank() == 0) send = {{}, {4, 1, 1}, {2, 3}};
    if (comm.rank() == 1) send = {{}, {}, {0, 1, 2, 3, 4}};
    if (comm.rank() == 1) receive = {3, 0, 0};
    if (comm.rank() == 2) receive = {2, 5, 0};
    const HaloPlan plan = HaloPlan::from_lists(comm, 5, receive, send, HaloBuffers::automatic, 0.25, 4096);
    EXPECT_EQ(plan.time_out_seconds(), 0.25);
    EXPECT_EQ(plan.packet_bytes(), 4096);
    EXPECT_EQ(plan.num_own(), 5);
    EXPECT_EQ(plan.rank(), comm.rank());
    EXPECT_EQ(plan.num_ranks(), 3);
    if (comm.rank() == 0) {
      EXPECT_EQ(plan.num_entries(), 0);
      EXPECT_THAT(plan.from(), IsEmpty());
      EXPECT_EQ(plan.send_index(), (Numbers{4, 1, 1}));
      ASSERT_EQ(plan.to().size(), 2U);
      EXPECT_EQ(plan.to()[0].form, HaloForm::packed);
      EXPECT_EQ(plan.to()[1].form, HaloForm::contiguous);
      EXPECT_EQ(plan.to()[1].first, 2);
    } else if (comm.rank() == 2) {
      EXPECT_EQ(plan.num_entries(), 7);
      ASSERT_EQ(plan.from().size(), 2U);
      EXPECT_EQ(plan.from()[1].begin, 2);
      EXPECT_EQ(plan.from()[1].form, HaloForm::whole);
      EXPECT_THROW(plan.position(0), ArgumentError);
    }
  });
}

TEST(HaloPlan, RefusesWrongListsOfTheCallersOwnOnAllRanks) {
  const auto with = [](int guilty, const Numbers& receive, const std::vector<Numbers>& send) {
    return [=](Communicator& comm) {
      const bool is_guilty = comm.rank() == guilty;
      HaloPlan::from_lists(comm, 4, is_guilty ? receive : Numbers(3, 0), is_guilty ? send : std::vector<Numbers>(3));
    };
  };
  expect_refused(3, 2, "lists for 2 ranks to send to, and 3", with(2, {0, 0, 0}, {{}, {}}));
  expect_refused(3, 2, "send its entry 4 to rank 1 (it has 4)", with(2, {0, 0, 0}, {{}, {3, 4}, {}}));
  expect_refused(3, 2, "that is itself", with(2, {0, 0, 0}, {{}, {}, {1}}));
  expect_refused(3, 2, "a count is not negative", with(2, {0, -1, 0}, {{}, {}, {}}));
  expect_refused(3, 2, "receive 5 entries from rank 1 (that rank is to send it 0)", with(2, {0, 5, 0}, {{}, {}, {}}));
  // Rank 1 sends what rank 0 does not expect: rank 0 finds out.
  expect_refused(3, 0, "receive 0 entries from rank 1 (that rank is to send it 2)",
                 with(1, {0, 0, 0}, {{1, 2}, {}, {}}));
  expect_refused(3, 2, "kernels that wait -1 s for other ranks", [](Communicator& comm) {
    HaloPlan::from_lists(comm, 4, Numbers(3, 0), std::vector<Numbers>(3), HaloBuffers::automatic,
                         comm.rank() == 2 ? -1 : 1);
  });
}

TEST(HaloPlan, OfOneRankAlone) {
  const Communicator alone;
  const HaloPlan plan(alone, RowPartition::even(5, 1), Numbers{});
  EXPECT_EQ(plan.num_own(), 5);
  EXPECT_EQ(plan.num_entries(), 0);
  EXPECT_EQ(plan.explain(), "rank 0 of 1: 5 entries of its own, 0 in, 0 out");
}

}  // namespace
}  // namespace ashlar::testing
