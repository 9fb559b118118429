// Sums over all teams of a kernel: each summand once, in one order.
#include <gtest/gtest.h>

#include <ashlar/device/teams/team_sums.hpp>
#include <support/compare.hpp>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

// nvcc takes no device lambda in a test's body.

/// How many summands there are, the sum of their numbers, and whether the last was there.
void count_and_add(const Exec& exec, std::int64_t n, const TeamSums<Space>& scratch,
                   const Kokkos::View<double*, Space>& total) {
  sum_over_entries<3>(
      "test::sum", exec, n, scratch.access(), {total.data(), total.data() + 1, total.data() + 2},
      KOKKOS_LAMBDA(std::int64_t i, double(&sum)[3]) {
        sum[0] += 1;
        sum[1] += double(i);
        sum[2] += i + 1 == n ? 7 : 0;
      });
}

/// Doubles each entry, and adds up what it was: a thread asks for several before it uses the first.
struct Doubling {
  double* entries;
  KOKKOS_FUNCTION double load(std::int64_t i) const { return entries[i]; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double entry, double (&sum)[1]) const {
    sum[0] += entry;
    entries[i] = 2 * entry;
  }
};

TEST(TeamSums, AddUpEverySummandOnce) {
  const Exec exec;
  const TeamSums<Space> scratch(exec);
  const Kokkos::View<double*, Space> total("total", 3);
  // Around one team's entries, and beyond as many as there are teams.
  for (const std::int64_t n : {0, 1, 2047, 2048, 2049, 100'000, 5'000'001}) {
    Kokkos::deep_copy(total, -1.0);
    count_and_add(exec, n, scratch, total);
    exec.fence();
    const auto sums = to_host(total);
    EXPECT_EQ(sums[0], double(n));
    EXPECT_EQ(sums[1], double(n) * double(n - 1) / 2);
    EXPECT_EQ(sums[2], n > 0 ? 7 : 0);
  }
}

TEST(TeamSums, LoadSeveralEntriesBeforeTheyUseTheFirst) {
  const Exec exec;
  const TeamSums<Space> scratch(exec);
  const Kokkos::View<double*, Space> total("total", 1);
  for (const std::size_t n : {1, 1023, 4099, 1'000'003}) {
    const Kokkos::View<double*, Space> entries("entries", n);
    Kokkos::deep_copy(entries, 3.0);
    sum_over_entries<1>("test::sum", exec, n, scratch.access(), {total.data()}, Doubling{entries.data()});
    exec.fence();
    EXPECT_EQ(to_host(total)[0], 3.0 * double(n));
    EXPECT_EQ(to_host(entries), std::vector<double>(n, 6.0));
  }
}

TEST(TeamSums, GiveTheSameBitsTwice) {
  const Exec exec;
  const TeamSums<Space> scratch(exec);
  const Kokkos::View<double*, Space> total("total", 1);
  const auto numbers = random_vector<double>(300'001, 1);
  std::vector<double> first;
  for (int run = 0; run < 20; ++run) {
    const auto entries = to_device<Space>(numbers);
    sum_over_entries<1>("test::sum", exec, numbers.size(), scratch.access(), {total.data()}, Doubling{entries.data()});
    exec.fence();
    if (run == 0) first = to_host(total);
    EXPECT_EQ(to_host(total), first);
  }
}

TEST(TeamSums, OfAHostHaveTheSameBitsWithAnyNumberOfThreads) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const auto numbers = random_vector<double>(300'001, 2);
  const auto sum = [&](const Host& exec) {
    const TeamSums<Kokkos::HostSpace> scratch(exec);
    auto entries = numbers;
    double total = 0;
    sum_over_entries<1>("test::sum", exec, entries.size(), scratch.access(), {&total}, Doubling{entries.data()});
    exec.fence();
    EXPECT_EQ(entries[300'000], 2 * numbers[300'000]);
    return total;
  };
  const double by_all = sum(Host());
#ifdef KOKKOS_ENABLE_OPENMP
  for (int threads = 1; threads <= Host().concurrency(); ++threads) EXPECT_EQ(sum(Kokkos::OpenMP(threads)), by_all);
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  const TeamSums<Kokkos::HostSpace> scratch((Kokkos::Serial()));
  auto entries = numbers;
  double total = 0;
  sum_over_entries<1>("test::sum", Kokkos::Serial(), entries.size(), scratch.access(), {&total},
                      Doubling{entries.data()});
  EXPECT_EQ(total, by_all);
#endif
}

}  // namespace
}  // namespace ashlar::testing
