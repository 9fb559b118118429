#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/device/load_chunk.hpp>
#include <cstdint>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// How many of the chunks of 0, 1, 2, .. are not as they were written, by either load and with either hint.
template <class Value, int Bytes>
int wrong_chunks() {
  constexpr int size = Chunk<Value, Bytes>::size, chunks = 64;
  const Kokkos::View<Value*, Exec> data("data", size * chunks);
  int wrong = 0;
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(0, size * chunks), KOKKOS_LAMBDA(int i) { data(i) = Value(i); });
  Kokkos::parallel_reduce(
      "load", Kokkos::RangePolicy<Exec>(0, chunks),
      KOKKOS_LAMBDA(int i, int& sum) {
        const Value* const from = &data(i * size);
        for (const int kept : {0, 5, CacheHint::parts}) {
          const auto once = load_once<Bytes>(from, CacheHint(kept));
          const auto strided = load_strided<Bytes>(from, CacheHint(kept));
          for (int j = 0; j < size; ++j) {
            if (once.value[j] != Value(i * size + j) || strided.value[j] != Value(i * size + j)) ++sum;
          }
        }
      },
      wrong);
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
  for (int kept = 0; kept <= CacheHint::parts; ++kept) EXPECT_EQ(CacheHint(kept).kept(), kept);
  EXPECT_EQ(CacheHint().kept(), 0);
  EXPECT_EQ(CacheHint().policy(), CacheHint(0).policy());
}

#ifdef KOKKOS_ENABLE_CUDA
/// The policy that the device itself makes.
std::uint64_t policy_of_device(int kept) {
  std::uint64_t policy = 0;
  Kokkos::parallel_reduce(
      "policy", Kokkos::RangePolicy<Exec>(0, 1),
      KOKKOS_LAMBDA(int, std::uint64_t& made) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        if (kept == CacheHint::parts) {
          asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(made));
        } else {
          const float given_up = 1 - float(kept) / CacheHint::parts;
          asm("createpolicy.fractional.L2::evict_first.b64 %0, %1;" : "=l"(made) : "f"(given_up));
        }
#else
        made = CacheHint(kept).policy();
#endif
      },
      policy);
  return policy;
}

TEST(CacheHint, IsThePolicyThatTheDeviceMakes) {
  for (int kept = 0; kept <= CacheHint::parts; ++kept) EXPECT_EQ(CacheHint(kept).policy(), policy_of_device(kept));
}
#endif

}  // namespace
}  // namespace ashlar::testing
