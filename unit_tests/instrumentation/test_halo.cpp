#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/exchange_cases.hpp"
#include "support/thread_ranks.hpp"
#include "support/watcher.hpp"

namespace ashlar::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

/// What `call` did on `exec`; it may wait for that, and allocates nothing.
template <class Call>
std::vector<Happening> watched(const Exec& exec, const Call& call) {
  exec.fence();
  const Watcher watcher;
  call();
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), IsEmpty());
  EXPECT_THAT(allocations(watcher), IsEmpty());
  return watcher.seen();
}

TEST(HaloConduct, BeginsAndEndsOnItsInstanceAndAllocatesNothing) {
  const Needs needs = random_needs(RowPartition::even(12, 2), 0.5, 31);
  for (const HaloForm form : all_forms) {
    run_ranks(2, [&](Communicator& comm) {
      Side side(comm, needs, form, 3);
      // While rank 0 is watched, rank 1 does nothing: there is one watcher for all threads.
      for (int round = 0; round < 4; ++round) {
        fill(side.exec, side.x, side.first_entry, 3, round);
        side.exec.fence();
        comm.barrier();
        if (comm.rank() == 0) {
          const auto seen = watched(side.exec, [&] { side.exchange.begin(side.exec, side.x); });
          EXPECT_THAT(labels(seen, Happening::Kind::region), Contains("ashlar::halo::begin"));
          if (form == HaloForm::packed) {
            EXPECT_THAT(labels(seen, Happening::Kind::kernel), Contains("ashlar::halo[pack]"));
          }
        }
        comm.barrier();
        if (comm.rank() == 1) side.exchange.begin(side.exec, side.x);
        comm.barrier();
        if (comm.rank() == 0) {
          watched(side.exec, [&] {
            if (round % 2 == 0) {
              side.exchange.end(side.exec);
            } else {
              while (side.exchange.next_arrived(side.exec) >= 0) {
              }
            }
          });
        }
        comm.barrier();
        if (comm.rank() == 1) side.exchange.end(side.exec);
        EXPECT_EQ(side.num_wrong(round), 0);
        comm.barrier();
      }
    });
  }
}

}  // namespace
}  // namespace ashlar::testing
