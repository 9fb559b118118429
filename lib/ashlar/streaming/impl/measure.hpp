#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The median of some calls of `work`, each `count` times and then `wait`, after one that does not count; a single one.
template <class Work, class Wait>
double seconds_of(int count, const Work& work, const Wait& wait) {
  work();
  wait();
  std::vector<double> seconds;
  for (int sample = 0; sample < 3; ++sample) {
    Kokkos::Timer timer;
    for (int i = 0; i < count; ++i) work();
    wait();
    seconds.push_back(timer.seconds() / count);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[1];
}

/// The same of work that may take long: as many calls as take some milliseconds, most_calls at most in each sample;
/// where one call takes longer than that, a single one.
template <class Work, class Wait>
double quick_seconds_of(int most_calls, const Work& work, const Wait& wait) {
  constexpr double of_sample = 5e-3, of_single = 20e-3;
  const auto seconds_of_calls = [&](int count) {
    const Kokkos::Timer timer;
    for (int i = 0; i < count; ++i) work();
    wait();
    return timer.seconds() / count;
  };
  seconds_of_calls(1);  // what is loaded or allocated on first use does not count
  const double once = seconds_of_calls(1);
  if (once > of_single) return once;
  const int count = static_cast<int>(std::clamp(of_sample / std::max(once, 1e-9), 1.0, double(most_calls)));
  std::array<double, 3> seconds{};
  for (double& sample : seconds) sample = seconds_of_calls(count);
  std::sort(seconds.begin(), seconds.end());
  return seconds[1];
}

/// Seconds = start + amount * per_unit, through a small amount and a large one; without a start where they hardly
/// differ, or rather measure noise.
struct Line {
  double start = 0, per_unit = 0;

  static Line through(double small, double seconds_small, double large, double seconds_large) {
    if (large > 2 * small && seconds_large > seconds_small) {
      const double per_unit = (seconds_large - seconds_small) / (large - small);
      if (seconds_small >= small * per_unit) return {seconds_small - small * per_unit, per_unit};
    }
    return {0, large > 0 ? seconds_large / large : 0};
  }
};

/// The smallest, and the largest, of the subdivisions from `first` on, as far as they have blocks.
inline std::pair<int, int> extremes(const std::vector<Subdivision>& parts, int first) {
  int smallest = first, largest = first;
  for (int k = first; k < static_cast<int>(parts.size()); ++k) {
    if (parts[k].num_blocks > parts[largest].num_blocks) largest = k;
    const bool is_smaller = parts[k].num_blocks < parts[smallest].num_blocks;
    if (parts[k].num_blocks > 0 && (is_smaller || parts[smallest].num_blocks == 0)) smallest = k;
  }
  return {smallest, largest};
}

/// Products with subdivisions from `first` on, each brought by `send` before.
template <class Exec, class Multiply, class Send>
void measure_products(const Exec& exec, const std::vector<Subdivision>& parts, int first, const Multiply& multiply,
                      const Send& send, StreamingFigures& figures) {
  const auto time = [&](int k) {
    send(k);
    return quick_seconds_of(
        4, [&] { multiply(k); }, [&] { exec.fence("ashlar::streaming: products to be measured"); });
  };
  const auto [smallest, largest] = extremes(parts, first);
  const double seconds_small = time(smallest), seconds_large = smallest == largest ? seconds_small : time(largest);
  const Line line = Line::through(double(parts[smallest].num_blocks), seconds_small, double(parts[largest].num_blocks),
                                  seconds_large);
  figures.product_start_seconds = line.start;
  figures.block_seconds = line.per_unit;
}

/// Copies of subdivisions from `first` on by `send`.
template <class Exec, class Send, class Bytes>
void measure_copies(const Exec& copy_exec, const std::vector<Subdivision>& parts, int first, const Send& send,
                    const Bytes& bytes_sent, StreamingFigures& figures) {
  const auto time = [&](int k) {
    return quick_seconds_of(
        4, [&] { send(k); }, [&] { copy_exec.fence("ashlar::streaming: copies to be measured"); });
  };
  const auto [smallest, largest] = extremes(parts, first);
  const double seconds_small = time(smallest), seconds_large = smallest == largest ? seconds_small : time(largest);
  const Line line = Line::through(bytes_sent(smallest), seconds_small, bytes_sent(largest), seconds_large);
  figures.copy_start_seconds = line.start;
  figures.link_bytes_per_second = line.per_unit > 0 ? 1 / line.per_unit : 0;
}

/// The time that the host takes to enqueue the copy of a subdivision and the products with it.
template <class Enqueue, class Wait, class Bytes>
void measure_enqueuing(const std::vector<Subdivision>& parts, int first, const Enqueue& enqueue, const Wait& wait,
                       const Bytes& bytes_sent, StreamingFigures& figures) {
  // Not so many that enqueueing would wait for room, or that the copies take long.
  constexpr double most_count = 32, most_bytes = 128 << 20;
  const int k = extremes(parts, first).first;
  const int count = static_cast<int>(std::clamp(most_bytes / std::max(bytes_sent(k), 1.0), 1.0, most_count));
  enqueue(k);
  wait();
  Kokkos::Timer timer;
  for (int i = 0; i < count; ++i) enqueue(k);
  figures.enqueue_seconds = timer.seconds() / count;
  wait();
}

/// The times of copies by `ring` and of products, each measured separately, with subdivisions from `first` on:
/// multiply(k) enqueues on `exec` the products with one. For a file, a copy counts from the disk on. With all_stays,
/// only products are measured.
///
/// Async    waits for `exec`, and returns when all is measured.
template <class Exec, class Ring, class Multiply>
StreamingFigures measure_ring(const Exec& exec, Ring& ring, const std::vector<Subdivision>& parts, int first,
                              bool from_file, bool all_stays, const Multiply& multiply) {
  StreamingFigures result;
  const auto send = [&](int k) {
    ring.forget(k);
    ring.send(k);
  };
  const auto bytes_sent = [&](int k) { return ring.bytes_sent(k); };
  const auto send_and_wait = [&](int k) {
    send(k);
    ring.copy_exec().fence("ashlar::streaming: copy to be measured");
  };
  exec.fence("ashlar::streaming: products before");
  measure_products(exec, parts, first, multiply, send_and_wait, result);
  if (!from_file && !all_stays) {
    // (Of a file, who enqueues waits for that.)
    measure_enqueuing(
        parts, first,
        [&](int k) {
          send(k);
          ring.wait_for_copy(k, exec);
          multiply(k);
          ring.release(k, exec);
        },
        [&] { exec.fence("ashlar::streaming: what was enqueued"); }, bytes_sent, result);
  }
  if (!all_stays) measure_copies(ring.copy_exec(), parts, first, send, bytes_sent, result);
  if (from_file) ring.clear(exec);  // what was sent was never released
  return result;
}

}  // namespace ashlar::impl
