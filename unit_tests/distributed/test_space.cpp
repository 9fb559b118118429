// Sums over ranks: in rank order, to the bit, whatever runs between their beginning and their end.
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/krylov/concepts.hpp>
#include <numeric>
#include <vector>

#include "distributed/rank_parts.hpp"
#include "support/rank_sums.hpp"

namespace ashlar::testing {
namespace {

using Sums = Kokkos::View<double*, Space>;

static_assert(inner_product_space<DistributedSpace<Exec>, Exec, Sums>);

/// What the tests of sums rely on.
TEST(RankSums, ShowTheOrder) {
  for (const int ranks : {3, 4}) {
    const std::vector<double> expected = shares_in_rank_order(ranks, 2);
    std::vector<int> order(std::size_t(ranks), 0);
    std::iota(order.begin(), order.end(), 0);
    int num_like_rank_order = 0;
    do {
      std::vector<double> sums(2, 0.0);
      for (const int rank : order) {
        for (int k = 0; k < 2; ++k) sums[std::size_t(k)] += share(rank, k);
      }
      num_like_rank_order += sums == expected;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(num_like_rank_order, 2) << "0, 1, ... and 1, 0, ..., of " << ranks << " ranks";
  }
}

TEST(DistributedSpace, AddsInRankOrder) {
  for (const int ranks : {1, 2, 3, 4}) {
    run_ranks(ranks, [&](Communicator& comm) {
      const Exec exec = instance_of_rank();
      const DistributedSpace<Exec> space(exec, comm, 10 + comm.rank());
      EXPECT_EQ(space.num_local(), 10 + comm.rank());
      EXPECT_EQ(space.num_global(), 10 * ranks + ranks * (ranks - 1) / 2);
      EXPECT_EQ(space.agree_max(comm.rank() == ranks / 2 ? 7 : -comm.rank()), 7);
      EXPECT_EQ(space.is_stream_ordered(), ranks == 1);
      // More than there is room for at first, and then fewer again.
      for (const int count : {1, 3, 64, 200, 2, 65, 0, 1}) {
        const Sums sums = to_device<Space>(shares(comm.rank(), count));
        space.sum_begin(exec, sums);
        space.sum_end(exec, sums);
        exec.fence();
        ASSERT_EQ(to_host(sums), shares_in_rank_order(ranks, count)) << count << " sums";
      }
    });
  }
}

TEST(DistributedSpace, LetsOtherWorkRunUnderTheReduction) {
  ThreadRanksOptions options;
  options.max_delay = std::chrono::microseconds(300);
  run_ranks(
      3,
      [&](Communicator& comm) {
        const Exec exec = instance_of_rank();
        const DistributedSpace<Exec> space(exec, comm, 1);
        const DistributedSpace<Exec> copy = space;  // one state
        const Sums all = to_device<Space>(std::vector<double>(4, 0.0));
        const Sums sums = Kokkos::subview(all, std::make_pair(1, 3));
        for (int i = 0; i < 100; ++i) {
          Kokkos::deep_copy(exec, sums, double(comm.rank() + i));
          (i % 2 ? copy : space).sum_begin(exec, sums);
          Kokkos::deep_copy(exec, Kokkos::subview(all, 0), double(i));  // beside them
          (i % 2 ? copy : space).sum_end(exec, sums);
          Kokkos::deep_copy(exec, Kokkos::subview(all, 3), double(-i));
          exec.fence();
          ASSERT_EQ(to_host(all), std::vector<double>({double(i), 3.0 * i + 3, 3.0 * i + 3, double(-i)}));
        }
      },
      options);
}

TEST(DistributedSpace, SpreadsWhatIsNoNumber) {
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const DistributedSpace<Exec> space(exec, comm, 1);
    const double infinity = std::numeric_limits<double>::infinity();
    const Sums sums = to_device<Space>(std::vector<double>{comm.rank() == 1 ? infinity : 1.0, 1.0});
    space.sum_begin(exec, sums);
    space.sum_end(exec, sums);
    exec.fence();
    EXPECT_EQ(to_host(sums), std::vector<double>({infinity, 3}));
  });
}

}  // namespace
}  // namespace ashlar::testing
