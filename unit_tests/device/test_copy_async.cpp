#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/loads/copy_async.hpp>
#include <ashlar/device/loads/load_chunk.hpp>
#include <cstdint>
#include <string>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Policy = Kokkos::TeamPolicy<Exec>;
constexpr int lanes = is_gpu_v<Exec> ? 32 : 1;

int value_of(const Kokkos::View<int, Exec>& view) {
  int value = 0;
  Kokkos::deep_copy(value, view);
  return value;
}

/// 0, 1, 2, ..; no longer than it is, so that a tool that watches accesses sees what is read beyond.
template <class Value>
Kokkos::View<Value*, Exec> numbered(int count) {
  const Kokkos::View<Value*, Exec> data("test::data", count);
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(0, count), KOKKOS_LAMBDA(int i) { data(i) = Value(i); });
  return data;
}

template <class Value>
KOKKOS_INLINE_FUNCTION unsigned char* scratch_for(const Policy::member_type& team, int count) {
  return static_cast<unsigned char*>(
      team.team_scratch(0).get_shmem_aligned(count * sizeof(Value) + 2 * copy_granule, copy_granule));
}

/// How many of `count` entries with others before and behind them arrive wrong.
template <class Value>
int wrong_of_run(int before, int count, int behind) {
  const auto data = numbered<Value>(before + count + behind);
  const Kokkos::View<int, Exec> wrong("test::wrong");
  Kokkos::parallel_for(
      "copy", Policy(1, lanes).set_scratch_size(0, Kokkos::PerTeam(int(count * sizeof(Value)) + 3 * copy_granule)),
      KOKKOS_LAMBDA(const Policy::member_type& team) {
        unsigned char* const to = scratch_for<Value>(team, count);
        const Value* const first = data.data() + before;
        copy_run_async(to, first, count, count + behind, CacheHint(), team.team_rank(), team.team_size());
        end_batch_of_copies();
        wait_for_copies<0>();
        team.team_barrier();
        const auto* const copied = reinterpret_cast<const Value*>(to + shift_in_scratch(first));
        for (int i = team.team_rank(); i < count; i += team.team_size()) {
          if (copied[i] != Value(before + i)) Kokkos::atomic_inc(&wrong());
        }
      });
  return value_of(wrong);
}

TEST(CopyAsync, BringsRunsOfAnyBeginAndLength) {
  for (const int before : {0, 1, 2, 3, 5, 64}) {
    for (const int count : {1, 2, 3, 4, 7, 8, 100, 701}) {
      for (const int behind : {0, 1, 3, 9}) {
        const std::string what = text(before, " ", count, " ", behind);
        EXPECT_EQ(wrong_of_run<double>(before, count, behind), 0) << what;
        EXPECT_EQ(wrong_of_run<float>(before, count, behind), 0) << what;
        EXPECT_EQ(wrong_of_run<std::uint16_t>(before, count, behind), 0) << what;
        EXPECT_EQ(wrong_of_run<std::int64_t>(before, count, behind), 0) << what;
      }
    }
  }
}

/// The same for entries copied Bytes at a time, in two batches of which the first is waited for and then the other.
template <class Value, int Bytes>
int wrong_of_chunks() {
  constexpr int size = Chunk<Value, Bytes>::size, count = 64 * size;
  const auto data = numbered<Value>(count);
  const Kokkos::View<int, Exec> wrong("test::wrong");
  Kokkos::parallel_for(
      "copy", Policy(1, lanes).set_scratch_size(0, Kokkos::PerTeam(int(count * sizeof(Value)) + 3 * copy_granule)),
      KOKKOS_LAMBDA(const Policy::member_type& team) {
        unsigned char* const to = scratch_for<Value>(team, count);
        for (int half = 0; half < 2; ++half) {
          for (int i = 32 * half + team.team_rank(); i < 32 * half + 32; i += team.team_size()) {
            copy_async<Bytes>(to + i * Bytes, data.data() + i * size, CacheHint(CacheHint::parts));
          }
          end_batch_of_copies();
        }
        const auto* const copied = reinterpret_cast<const Value*>(to);
        const auto check = [&](int from, int end) {
          for (int i = from + team.team_rank(); i < end; i += team.team_size()) {
            if (copied[i] != Value(i)) Kokkos::atomic_inc(&wrong());
          }
        };
        wait_for_copies<1>();
        team.team_barrier();
        check(0, count / 2);
        wait_for_copies<0>();
        team.team_barrier();
        check(count / 2, count);
      });
  return value_of(wrong);
}

TEST(CopyAsync, BringsChunksOfEveryWidth) {
  EXPECT_EQ((wrong_of_chunks<double, 16>()), 0);
  EXPECT_EQ((wrong_of_chunks<double, 8>()), 0);
  EXPECT_EQ((wrong_of_chunks<float, 4>()), 0);
  EXPECT_EQ((wrong_of_chunks<std::uint16_t, 8>()), 0);
  EXPECT_EQ((wrong_of_chunks<std::uint16_t, 2>()), 0);
}

}  // namespace
}  // namespace ashlar::testing
