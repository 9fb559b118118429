#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/device/loads/load_chunk.hpp>
#include <cstdint>
#include <set>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// How many of the chunks of 0, 1, 2, .. are not as they were written, by either load, with hints made in the kernel
/// and passed to it.
template <class Value, int Bytes>
int wrong_chunks() {
  constexpr int size = Chunk<Value, Bytes>::size, chunks = 64;
  const Kokkos::View<Value*, Exec> data("data", size * chunks);
  int wrong = 0;
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(0, size * chunks), KOKKOS_LAMBDA(int i) { data(i) = Value(i); });
  for (const int kept : {0, 5, CacheHint::parts}) {
    const CacheHint passed = cache_hint_for(Exec(), kept);
    int wrong_now = 0;
    Kokkos::parallel_reduce(
        "load", Kokkos::RangePolicy<Exec>(0, chunks),
        KOKKOS_LAMBDA(int i, int& sum) {
          const Value* const from = &data(i * size);
          for (const CacheHint& hint : {CacheHint(kept), passed}) {
            const auto once = load_once<Bytes>(from, hint);
            const auto strided = load_strided<Bytes>(from, hint);
            for (int j = 0; j < size; ++j) {
              if (once.value[j] != Value(i * size + j) || strided.value[j] != Value(i * size + j)) ++sum;
            }
          }
        },
        wrong_now);
    wrong += wrong_now;
  }
  return wrong;
}

TEST(LoadChunk, BringsWhatIsThere) {
  EXPECT_EQ((wrong_chunks<double, 16>()), 0);
  EXPECT_EQ((wrong_chunks<double, 8>()), 0);
  EXPECT_EQ((wrong_chunks<float, 16>()), 0);
  EXPECT_EQ((wrong_chunks<float, 8>()), 0);
  EXPECT_EQ((wrong_chunks<float, 4>()), 0);
  EXPECT_EQ((wrong_chunks<std::uint16_t, 4>()), 0);
  EXPECT_EQ((wrong_chunks<std::uint16_t, 2>()), 0);
}

TEST(CacheHint, SaysHowMuchIsKept) {
  EXPECT_EQ(CacheHint().kept(), 0);
  for (int kept = 0; kept <= CacheHint::parts; ++kept) {
    EXPECT_EQ(CacheHint(kept).kept(), kept);
    EXPECT_EQ(cache_hint_for(Exec(), kept).kept(), kept);
  }
}

/// The policy of a hint that is made in a kernel.
std::uint64_t policy_in_kernel(int kept) {
  std::uint64_t policy = 0;
  Kokkos::parallel_reduce(
      "policy", Kokkos::RangePolicy<Exec>(0, 1),
      KOKKOS_LAMBDA(int, std::uint64_t& made) { made = CacheHint(kept).policy(); }, policy);
  return policy;
}

TEST(CacheHint, HasThePolicyThatTheDeviceMakes) {
  std::set<std::uint64_t> policies;
  for (int kept = 0; kept <= CacheHint::parts; ++kept) {
    const std::uint64_t policy = cache_hint_for(Exec(), kept).policy();
    EXPECT_EQ(policy, policy_in_kernel(kept));
    policies.insert(policy);
  }
  // Each another one, where the device can be told.
  EXPECT_EQ(policies.size(), device_cache_bytes(Exec()) > 0 ? CacheHint::parts + 1 : 1);
}

}  // namespace
}  // namespace ashlar::testing
