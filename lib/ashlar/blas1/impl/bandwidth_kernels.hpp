#pragma once

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <cstdint>
#include <limits>

namespace ashlar::impl {

/// The arrays of the measurements are made of chunks: what one work item takes.
inline constexpr int numbers_of_chunk = 16;
/// A CPU takes this many chunks at a time, one after another, as its prefetcher likes it.
inline constexpr int chunks_of_cpu_item = 64;

inline std::int64_t probe_chunks(std::int64_t bytes) {
  constexpr std::int64_t item = std::int64_t(chunks_of_cpu_item) * numbers_of_chunk * std::int64_t(sizeof(double));
  return std::max<std::int64_t>(bytes / item, 1) * chunks_of_cpu_item;
}

/// Four times the last cache, within what can be written and read in a tenth of a second or so.
inline std::int64_t host_probe_bytes() {
  std::int64_t cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  return std::clamp<std::int64_t>(4 * cache, std::int64_t(128) << 20, std::int64_t(512) << 20);
}

/// Two numbers that are loaded and stored together.
struct alignas(16) NumberPair {
  double first, second;
};

/// A GPU's way through the array: a thread has all its loads in flight at once, and those of neighbours coalesce.
struct GpuSum {
  const NumberPair* data;
  std::int64_t num_items;
  static constexpr int loads = numbers_of_chunk / 2;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, double& sum) const {
    NumberPair loaded[loads];
    for (int k = 0; k < loads; ++k) loaded[k] = data[i + k * num_items];
    for (int k = 0; k < loads; ++k) sum += loaded[k].first + loaded[k].second;
  }
};

/// A CPU's way: sums that do not wait for each other, as wide as vector registers are.
struct CpuSum {
  const double* data;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, double& sum) const {
    const double* item = data + i * chunks_of_cpu_item * numbers_of_chunk;
    double partial[numbers_of_chunk] = {};
    for (int chunk = 0; chunk < chunks_of_cpu_item; ++chunk) {
      for (int k = 0; k < numbers_of_chunk; ++k) partial[k] += item[chunk * numbers_of_chunk + k];
    }
    for (int k = 0; k < numbers_of_chunk; ++k) sum += partial[k];
  }
};

struct GpuCopy {
  const NumberPair* from;
  NumberPair* to;
  std::int64_t num_items;
  static constexpr int loads = numbers_of_chunk / 2;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    NumberPair loaded[loads];
    for (int k = 0; k < loads; ++k) loaded[k] = from[i + k * num_items];
    for (int k = 0; k < loads; ++k) to[i + k * num_items] = loaded[k];
  }
};

struct CpuCopy {
  const double* from;
  double* to;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    constexpr int count = chunks_of_cpu_item * numbers_of_chunk;
    for (int k = 0; k < count; ++k) to[i * count + k] = from[i * count + k];
  }
};

template <execution_space Exec>
auto probe_items(const Exec& exec, std::int64_t num_chunks) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
      exec, 0, is_gpu_v<Exec> ? num_chunks : num_chunks / chunks_of_cpu_item);
}

/// Written in the order in which it is read, so that on a host each thread's part lies in memory near it.
template <execution_space Exec>
void fill_ones(const Exec& exec, double* data, std::int64_t num_chunks) {
  const std::int64_t count = num_chunks * numbers_of_chunk;
  const auto items = probe_items(exec, num_chunks);
  const std::int64_t num_items = static_cast<std::int64_t>(items.end());
  Kokkos::parallel_for(
      "ashlar::bandwidth[fill]", items, KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t share = count / num_items;
        for (std::int64_t k = 0; k < share; ++k) data[is_gpu_v<Exec> ? i + k * num_items : i * share + k] = 1;
      });
}

template <execution_space Exec, class Sum>
void sum_all(const Exec& exec, const double* data, std::int64_t num_chunks, const Sum& sum) {
  const auto items = probe_items(exec, num_chunks);
  if constexpr (is_gpu_v<Exec>) {
    Kokkos::parallel_reduce("ashlar::bandwidth[read]", items,
                            GpuSum{reinterpret_cast<const NumberPair*>(data), num_chunks}, sum);
  } else {
    Kokkos::parallel_reduce("ashlar::bandwidth[read]", items, CpuSum{data}, sum);
  }
}

template <execution_space Exec>
void copy_all(const Exec& exec, const double* from, double* to, std::int64_t num_chunks) {
  const auto items = probe_items(exec, num_chunks);
  if constexpr (is_gpu_v<Exec>) {
    Kokkos::parallel_for(
        "ashlar::bandwidth[copy]", items,
        GpuCopy{reinterpret_cast<const NumberPair*>(from), reinterpret_cast<NumberPair*>(to), num_chunks});
  } else {
    Kokkos::parallel_for("ashlar::bandwidth[copy]", items, CpuCopy{from, to});
  }
}

/// Seconds that one call of `enqueue` takes `exec`, the best of several; one call before them warms up.
///
/// On a GPU a few calls are enqueued together, so that launching and waiting do not count.
template <execution_space Exec, class Enqueue>
double best_seconds(const Exec& exec, const Enqueue& enqueue) {
  constexpr int calls = is_gpu_v<Exec> ? 4 : 1, least = 3, most = 20;
  constexpr double enough = 0.05;  // seconds, all together
  enqueue();
  exec.fence("ashlar::bandwidth: warm");
  double best = std::numeric_limits<double>::infinity(), spent = 0;
  for (int repetition = 0; repetition < least || (repetition < most && spent < enough); ++repetition) {
    const Kokkos::Timer timer;
    for (int call = 0; call < calls; ++call) enqueue();
    exec.fence("ashlar::bandwidth: timed");
    const double seconds = timer.seconds();
    spent += seconds;
    best = std::min(best, seconds / calls);
  }
  return best;
}

}  // namespace ashlar::impl
