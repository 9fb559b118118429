#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/load_chunk.hpp>
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
        for (const bool keep : {false, true}) {
          const auto once = load_once<Bytes>(from, CacheHint(keep));
          const auto strided = load_strided<Bytes>(from, CacheHint(keep));
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

#ifdef KOKKOS_ENABLE_CUDA
/// The policy that the device itself makes.
std::uint64_t policy_of_device(bool keep) {
  std::uint64_t policy = 0;
  Kokkos::parallel_reduce(
      "policy", Kokkos::RangePolicy<Exec>(0, 1),
      KOKKOS_LAMBDA(int, std::uint64_t& made) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        if (keep) {
          asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(made));
        } else {
          asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(made));
        }
#else
        made = CacheHint(keep).policy();
#endif
      },
      policy);
  return policy;
}

TEST(CacheHint, IsThePolicyThatTheDeviceMakes) {
  EXPECT_EQ(CacheHint(true).policy(), policy_of_device(true));
  EXPECT_EQ(CacheHint(false).policy(), policy_of_device(false));
  EXPECT_EQ(CacheHint().policy(), policy_of_device(false));
}
#endif

}  // namespace
}  // namespace ashlar::testing
