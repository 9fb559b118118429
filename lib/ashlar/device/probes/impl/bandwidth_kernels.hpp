#pragma once

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/loads/load_chunk.hpp>
#include <cstdint>
#include <limits>

namespace ashlar::impl {

/// The arrays of the measurements are made of lines of 128 bytes: what one work item takes.
inline constexpr int numbers_of_line = 16;
/// A CPU takes this many lines at a time, one after another, as its prefetcher likes it.
inline constexpr int lines_of_cpu_item = 64;

inline std::int64_t probe_lines(std::int64_t bytes) {
  constexpr std::int64_t item = std::int64_t(lines_of_cpu_item) * numbers_of_line * std::int64_t(sizeof(double));
  return std::max<std::int64_t>(bytes / item, 1) * lines_of_cpu_item;
}

/// Four times the last cache, within what can be written and read in a second or so.
inline std::int64_t host_probe_bytes() {
  std::int64_t cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  return std::clamp<std::int64_t>(4 * cache, std::int64_t(128) << 20, std::int64_t(2) << 30);
}

/// How a GPU reads the array: a thread has `loads` loads in flight, neighbours' loads coalesce, and the thread
/// continues until the end of the array. (One round per thread reads 5 % slower: threads that start and end leave
/// gaps.)
struct GpuSum {
  const double* data;
  std::int64_t num_pairs;
  std::int64_t num_threads;
  double* sum_of_thread;
  static constexpr int loads = 8;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t thread) const {
    const CacheHint hint;
    double sum = 0;
    std::int64_t i = thread;
    for (; i + (loads - 1) * num_threads < num_pairs; i += loads * num_threads) {
      Chunk<double> loaded[loads];
      for (int k = 0; k < loads; ++k) loaded[k] = load_once(data + 2 * (i + k * num_threads), hint);
      for (int k = 0; k < loads; ++k) sum += loaded[k].value[0] + loaded[k].value[1];
    }
    for (; i < num_pairs; i += num_threads) sum += data[2 * i] + data[2 * i + 1];
    sum_of_thread[thread] = sum;
  }
};

/// How a CPU reads the array: sums that do not wait for each other, as wide as vector registers are.
struct CpuSum {
  const double* data;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, double& sum) const {
    const double* item = data + i * lines_of_cpu_item * numbers_of_line;
    double partial[numbers_of_line] = {};
    for (int line = 0; line < lines_of_cpu_item; ++line) {
      for (int k = 0; k < numbers_of_line; ++k) partial[k] += item[line * numbers_of_line + k];
    }
    for (int k = 0; k < numbers_of_line; ++k) sum += partial[k];
  }
};

struct GpuCopy {
  const Chunk<double>* from;
  Chunk<double>* to;
  std::int64_t num_items;
  static constexpr int loads = numbers_of_line / 2;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    Chunk<double> loaded[loads];
    for (int k = 0; k < loads; ++k) loaded[k] = from[i + k * num_items];
    for (int k = 0; k < loads; ++k) to[i + k * num_items] = loaded[k];
  }
};

struct CpuCopy {
  const double* from;
  double* to;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    constexpr int count = lines_of_cpu_item * numbers_of_line;
    for (int k = 0; k < count; ++k) to[i * count + k] = from[i * count + k];
  }
};

template <execution_space Exec>
auto probe_items(const Exec& exec, std::int64_t num_lines) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
      exec, 0, is_gpu_v<Exec> ? num_lines : num_lines / lines_of_cpu_item);
}

/// Written in the order in which it is read, so that on a host each thread's part lies in memory near it.
template <execution_space Exec>
void fill_ones(const Exec& exec, double* data, std::int64_t num_lines) {
  const std::int64_t count = num_lines * numbers_of_line;
  const auto items = probe_items(exec, num_lines);
  const std::int64_t num_items = static_cast<std::int64_t>(items.end());
  Kokkos::parallel_for(
      "ashlar::bandwidth[fill]", items, KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t share = count / num_items;
        for (std::int64_t k = 0; k < share; ++k) data[is_gpu_v<Exec> ? i + k * num_items : i * share + k] = 1;
      });
}

template <execution_space Exec>
void copy_all(const Exec& exec, const double* from, double* to, std::int64_t num_lines) {
  const auto items = probe_items(exec, num_lines);
  if constexpr (is_gpu_v<Exec>) {
    Kokkos::parallel_for(
        "ashlar::bandwidth[copy]", items,
        GpuCopy{reinterpret_cast<const Chunk<double>*>(from), reinterpret_cast<Chunk<double>*>(to), num_lines});
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

/// The best seconds of a pass over the array, and the sum of its entries as that pass found it.
struct TimedSum {
  double seconds = std::numeric_limits<double>::infinity();
  double sum = 0;
};

template <execution_space Exec>
TimedSum best_sum(const Exec& exec, const double* data, std::int64_t num_lines) {
  using Space = typename Exec::memory_space;
  TimedSum result;
  if constexpr (is_gpu_v<Exec>) {
    const std::int64_t pairs = num_lines * numbers_of_line / 2;
    // As many threads as the device holds, or some times as many: which is best differs from device to device.
    for (const int times : {1, 2, 4, 8}) {
      const std::int64_t threads = std::min(times * std::int64_t(exec.concurrency()), pairs);
      const Kokkos::View<double*, Space> sums(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::bandwidth::sums"), std::size_t(threads));
      const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> policy(exec, 0, threads);
      const GpuSum body{data, pairs, threads, sums.data()};
      const double seconds = best_seconds(exec, [&] { Kokkos::parallel_for("ashlar::bandwidth[read]", policy, body); });
      if (seconds >= result.seconds) continue;
      result.seconds = seconds;
      Kokkos::parallel_reduce(
          "ashlar::bandwidth[sum]", policy, KOKKOS_LAMBDA(std::int64_t i, double& sum) { sum += sums(i); }, result.sum);
    }
  } else {
    const Kokkos::View<double, Space> sum(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::bandwidth::sum"));
    const auto items = probe_items(exec, num_lines);
    result.seconds =
        best_seconds(exec, [&] { Kokkos::parallel_reduce("ashlar::bandwidth[read]", items, CpuSum{data}, sum); });
    Kokkos::deep_copy(exec, result.sum, sum);
    exec.fence("ashlar::bandwidth: sum");
  }
  return result;
}

}  // namespace ashlar::impl
