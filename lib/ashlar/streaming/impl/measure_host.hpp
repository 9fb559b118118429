#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/streaming/impl/host_part.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// Products of the host: seconds a block alone and beside copies, and what the link had meanwhile.
struct HostSamples {
  std::vector<double> alone, beside, link_bytes_per_second;
};

/// The time that a plan may count on, as others may use the host's memory.
///
/// The host's time varies, the copies' time hardly does, and a product ends when both have ended. The model uses the
/// 75th percentile of the host's time and the median of the link's.
inline void set_host_figures(HostSamples samples, StreamingFigures& figures) {
  const auto quantile = [](std::vector<double>& values, double part) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(part * double(values.size()))];
  };
  constexpr double three_of_four = 0.75, half = 0.5;
  const double alone = quantile(samples.alone, three_of_four), beside = quantile(samples.beside, three_of_four);
  figures.host_block_seconds = std::min(alone, beside);
  figures.host_block_seconds_beside = beside;
  figures.link_bytes_per_second_beside =
      std::min(quantile(samples.link_bytes_per_second, half), figures.link_bytes_per_second);
}

/// The smallest subdivision from `first` on whose copy has nearly the full rate of the link; else the largest.
inline int suitable_copy(const std::vector<Subdivision>& parts, int first, double block_bytes) {
  constexpr double enough_bytes = 16 << 20;
  int best = first;
  for (int k = first; k < static_cast<int>(parts.size()); ++k) {
    const auto is_enough = [&](int part) { return double(parts[part].num_blocks) * block_bytes >= enough_bytes; };
    const bool is_smaller = parts[k].num_blocks < parts[best].num_blocks;
    if (is_enough(best) ? is_enough(k) && is_smaller : !is_smaller) best = k;
  }
  return best;
}

/// Products of the host with the last block rows of the matrix, alone and beside copies by `ring` of a subdivision from
/// `first` on, alternately. Each is with the next of the pieces into which these rows are cut, so that a piece is in no
/// cache when it is read again. Takes some tenths of a second at most, however slow the host is.
template <class Exec, class HostMatrix, class X, class Y, class Ring>
void measure_host(const Exec& exec, const HostMatrix& matrix, const SpmvOptions& options, std::int64_t rows_together,
                  const X& x, const Y& y, Ring& ring, const std::vector<Subdivision>& parts, int first,
                  StreamingFigures& figures) {
  // All together more than the last cache of a host holds; each long enough to be timed.
  constexpr double most_bytes = 2e9, piece_bytes = 64e6;
  const double block_bytes = double(matrix.block_shape().num_values()) * sizeof(typename HostMatrix::scalar_type);
  const double bytes = double(matrix.num_blocks()) * block_bytes;
  const Subdivision rows =
      last_block_rows(matrix.graph().row_ptr(), bytes > most_bytes ? most_bytes / bytes : 1, rows_together);
  if (rows.num_blocks == 0) return;
  const int num_pieces = static_cast<int>(std::max(double(rows.num_blocks) * block_bytes / piece_bytes, 1.0));
  const int k = suitable_copy(parts, first, block_bytes);
  using Scalar = typename X::non_const_value_type;
  HostPart<HostMatrix, Exec> part(exec, matrix, rows, options, sizeof(Scalar), num_pieces);
  int piece = 0;
  // Seconds a block of a product with the next piece that has blocks, after `begin`. Its part of y stays with it: on
  // its way back it would be in the way of the next product.
  const auto multiply_next = [&](const auto& begin) {
    part.send(exec, x, Scalar(0), part.rows_of(y));
    part.wait();
    do {
      piece = (piece + 1) % num_pieces;
    } while (part.num_blocks(piece) == 0);
    const Kokkos::Timer timer;
    begin();
    part.multiply(piece, Scalar(1), x, Scalar(0), part.rows_of(y));
    return timer.seconds() / double(part.num_blocks(piece));
  };
  const auto multiply_alone = [&] { return multiply_next([] {}); };
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
  constexpr int fewest = 3, most = 15;
  constexpr double most_seconds = 0.12;
  HostSamples samples;
  multiply_alone();
  const Kokkos::Timer since_begin;
  for (int sample = 0; sample < fewest || (sample < most && since_begin.seconds() < most_seconds); ++sample) {
    const double alone = multiply_alone();
    Kokkos::Timer timer;
    double sent = 0;
    const double beside = multiply_next([&] {
      timer.reset();
      sent = start_copies(1.5 * alone * double(part.num_blocks(piece)));
    });
    const double seconds_beside = beside * double(part.num_blocks(piece));
    ring.copy_exec().fence("ashlar::streaming: copies beside the host");
    // Copies went on alone when the host had multiplied.
    const double sent_alone = std::min((timer.seconds() - seconds_beside) * figures.link_bytes_per_second, 0.9 * sent);
    samples.alone.push_back(alone);
    samples.beside.push_back(beside);
    samples.link_bytes_per_second.push_back((sent - sent_alone) / seconds_beside);
  }
  set_host_figures(std::move(samples), figures);
}

}  // namespace ashlar::impl
