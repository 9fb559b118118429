// A pass over entries: each once, with what a thread loads once; and a kernel where a tool watches.
#include <gtest/gtest.h>

#include <ashlar/device/teams/for_entries.hpp>
#include <numeric>
#include <support/compare.hpp>
#include <support/watcher.hpp>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

/// y_i := *factor * i + y_i
struct AddMultiple {
  const double* factor;
  double* y;

  struct OfThread {
    double factor;
    double* y;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const { y[i] += factor * double(i); }
  };
  KOKKOS_FUNCTION OfThread for_thread() const { return {*factor, y}; }
};

TEST(ForEntries, TakesEachEntryOnce) {
  const Exec exec;
  const auto factor = to_device<Space>(std::vector<double>{3});
  // Less than a thread's entries, around them, and many times as many.
  for (const std::size_t n : {0, 1, 7, 4095, 4096, 8193, 1'000'003}) {
    const Kokkos::View<double*, Space> y("y", n);
    Kokkos::deep_copy(y, 1.0);
    for_entries("test::entries", exec, n, AddMultiple{factor.data(), y.data()});
    exec.fence();
    std::vector<double> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = 3 * double(i) + 1;
    EXPECT_EQ(to_host(y), expected);
  }
}

TEST(ForEntries, IsAKernelWhereAToolWatches) {
  const Exec exec;
  const auto factor = to_device<Space>(std::vector<double>{3});
  const Kokkos::View<double*, Space> y("y", 10);
  exec.fence();
  const Watcher watcher;
  for_entries("test::entries", exec, 10, AddMultiple{factor.data(), y.data()});
  exec.fence();
  EXPECT_EQ(kernels(watcher), std::vector<std::string>{"test::entries"});
}

}  // namespace
}  // namespace ashlar::testing
