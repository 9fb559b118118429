#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/streaming/figures.hpp>
#include <ashlar/streaming/impl/host_part.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ashlar::impl {

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

/// Products of the host with the last block rows of the matrix, alone and beside copies of subdivision k by `ring`, in
/// turns.
template <class Exec, class HostMatrix, class X, class Y, class Ring>
void measure_host(const Exec& exec, const HostMatrix& matrix, const SpmvOptions& options, std::int64_t rows_together,
                  const X& x, const Y& y, Ring& ring, int k, StreamingFigures& figures) {
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
  // Copies that take longer than so many seconds; their bytes.
  const auto start_copies = [&](double seconds) {
    double sent = 0;
    while (sent < seconds * figures.link_bytes_per_second) {
      ring.forget(k);
      ring.send(k);
      sent += ring.bytes_sent(k);
    }
    return sent;
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
    ring.copy_exec().fence("ashlar::streaming: copies beside the host");
    // Copies went on alone when the host had multiplied.
    const double sent_alone = std::min((timer.seconds() - beside) * figures.link_bytes_per_second, 0.9 * sent);
    samples.alone.push_back(alone);
    samples.beside.push_back(beside);
    samples.link_bytes_per_second.push_back((sent - sent_alone) / beside);
  }
  set_host_figures(std::move(samples), double(rows.num_blocks), figures);
}

}  // namespace ashlar::impl
