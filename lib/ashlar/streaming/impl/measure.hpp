#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/streaming/figures.hpp>
#include <ashlar/streaming/impl/host_part.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstddef>
#include <cstdint>
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
    return seconds_of(
        4, [&] { multiply(k); }, [&] { exec.fence("ashlar::streaming: products to be measured"); });
  };
  const auto [smallest, largest] = extremes(parts, first);
  const double seconds_small = time(smallest), seconds_large = time(largest);
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
    return seconds_of(
        4, [&] { send(k); }, [&] { copy_exec.fence("ashlar::streaming: copies to be measured"); });
  };
  const auto [smallest, largest] = extremes(parts, first);
  const double seconds_small = time(smallest), seconds_large = time(largest);
  const Line line = Line::through(bytes_sent(smallest), seconds_small, bytes_sent(largest), seconds_large);
  figures.copy_start_seconds = line.start;
  figures.link_bytes_per_second = line.per_unit > 0 ? 1 / line.per_unit : 0;
}

/// What the host takes to enqueue the copy of a subdivision and the products with it.
template <class Enqueue, class Wait>
void measure_enqueuing(const std::vector<Subdivision>& parts, int first, const Enqueue& enqueue, const Wait& wait,
                       StreamingFigures& figures) {
  // Not so many that what is enqueued would have to wait for room.
  constexpr int count = 32;
  const int k = extremes(parts, first).first;
  enqueue(k);
  wait();
  Kokkos::Timer timer;
  for (int i = 0; i < count; ++i) enqueue(k);
  figures.enqueue_seconds = timer.seconds() / count;
  wait();
}

/// Products of the host with the same blocks: seconds alone and beside copies, and what the link had meanwhile.
struct HostSamples {
  std::vector<double> alone, beside, link_bytes_per_second;
};

/// What a plan may count on, as the host's memory may be in use by others.
///
/// The host's time varies where that of copies hardly does, and a product ends when the later of both does: so of the
/// host counts what it keeps to three times of four, of the link the median.
inline void set_host_figures(HostSamples samples, double num_blocks, StreamingFigures& figures) {
  const auto quantile = [](std::vector<double>& values, double part) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(part * double(values.size()))];
  };
  constexpr double three_of_four = 0.75, half = 0.5;
  const double alone = quantile(samples.alone, three_of_four), beside = quantile(samples.beside, three_of_four);
  figures.host_block_seconds = std::min(alone, beside) / num_blocks;
  figures.host_block_seconds_beside = beside / num_blocks;
  figures.link_bytes_per_second_beside =
      std::min(quantile(samples.link_bytes_per_second, half), figures.link_bytes_per_second);
}

/// Products of the host with the last block rows of the matrix, alone and beside copies, in turns:
/// start_copies(seconds) enqueues some that take longer than that, and returns their bytes; wait_for_copies() waits for
/// them.
template <class Exec, class HostMatrix, class X, class Y, class StartCopies, class Wait>
void measure_host(const Exec& exec, const HostMatrix& matrix, const SpmvOptions& options, std::int64_t rows_together,
                  const X& x, const Y& y, StreamingFigures& figures, const StartCopies& start_copies,
                  const Wait& wait_for_copies) {
  // More than the last cache of a host holds.
  constexpr double most_bytes = 2e9;
  const double block_bytes = double(matrix.block_shape().num_values()) * sizeof(typename HostMatrix::scalar_type);
  const double bytes = double(matrix.num_blocks()) * block_bytes;
  const Subdivision rows =
      last_block_rows(matrix.graph().row_ptr(), bytes > most_bytes ? most_bytes / bytes : 1, rows_together);
  if (rows.num_blocks == 0) return;
  using Scalar = typename X::non_const_value_type;
  HostPart<HostMatrix, Exec> part(exec, matrix, rows, options, sizeof(Scalar));
  // Its part of y stays with it: on its way back it would be in the way of the next product.
  const auto multiply = [&] { part.multiply(0, Scalar(1), x, Scalar(0), part.rows_of(y)); };
  const auto send = [&] {
    part.send(exec, x, Scalar(0), part.rows_of(y));
    part.wait();
  };
  const auto multiply_after_sending = [&] {
    send();
    Kokkos::Timer timer;
    multiply();
    return timer.seconds();
  };
  constexpr int count = 15;
  HostSamples samples;
  multiply_after_sending();
  for (int sample = 0; sample < count; ++sample) {
    const double alone = multiply_after_sending();
    send();
    Kokkos::Timer timer;
    const double sent = start_copies(1.5 * alone);
    multiply();
    const double beside = timer.seconds();
    wait_for_copies();
    // Copies went on alone when the host had multiplied.
    const double sent_alone = std::min((timer.seconds() - beside) * figures.link_bytes_per_second, 0.9 * sent);
    samples.alone.push_back(alone);
    samples.beside.push_back(beside);
    samples.link_bytes_per_second.push_back((sent - sent_alone) / beside);
  }
  set_host_figures(std::move(samples), double(rows.num_blocks), figures);
}

}  // namespace ashlar::impl
