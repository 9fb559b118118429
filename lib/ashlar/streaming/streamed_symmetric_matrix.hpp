#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/symmetric_half.hpp>
#include <ashlar/bcsr/transpose_index.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// Block columns that follow each other.
struct ColumnRange {
  std::int64_t first = 0, count = 0;

  /// The block rows of these numbers, of which a symmetric matrix has the same entries of vectors.
  Subdivision as_rows() const { return {first, count, 0, 0}; }
};

/// From the first to the last block column in which some block rows of a matrix have blocks. Columns ascend in each.
///
/// Async    reads the matrix' structure on the calling thread.
template <class HostMatrix>
ColumnRange columns_of(const HostMatrix& matrix, const Subdivision& rows) {
  const auto row_ptr = matrix.graph().row_ptr();
  const auto col_idx = matrix.graph().col_idx();
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), end = 0;
  for (std::int64_t row = rows.first_row; row < rows.first_row + rows.num_rows; ++row) {
    const std::int64_t begin_of_row = row_ptr(row), end_of_row = row_ptr(row + 1);
    if (begin_of_row == end_of_row) continue;
    first = std::min<std::int64_t>(first, col_idx(begin_of_row));
    end = std::max<std::int64_t>(end, col_idx(end_of_row - 1) + 1);
  }
  return end > 0 ? ColumnRange{first, end - first} : ColumnRange{};
}

}  // namespace ashlar::impl

namespace ashlar {

/// A symmetric matrix A = T + T^T that is multiplied on the device, of which only T is in the host's memory and sent:
/// about half of the bytes. Each subdivision is used twice while it is on the device, for its block rows and,
/// transposed, for its block columns.
///
/// As a linear operator: y := A x. Two runs give the same bits; what another number of subdivisions gives may differ by
/// rounding, since each entry of y is a sum over them.
///
/// Matrix   as for StreamedMatrix; symmetric_half() makes T.
/// Memory   as StreamedMatrix, with block columns on the device; and for each subdivision an index of its blocks by
///          column: two numbers for each block, and an offset for each block column from the first to the last that it
///          has a block in. (Where host and device are one memory, two numbers for each block of T.) Segments of
///          block columns that are much longer than the others are not counted.
/// Async    as StreamedMatrix; the constructor reads the host's block columns, too, when it has waited for `exec`.
/// Throws   as StreamedMatrix; ArgumentError for options that it has not: a share of the host, structure that is
///          streamed, modes other than A x.
template <bcsr_matrix Matrix, execution_space Exec = typename Matrix::memory_space::execution_space>
class StreamedSymmetricMatrix {
 public:
  using streamed_type = StreamedMatrix<Matrix, Exec>;
  using host_type = typename streamed_type::host_type;

  StreamedSymmetricMatrix(const Exec& exec, const host_type& half, const StreamingOptions& options = {})
      : half_(exec, half, within_limit(half, options, streamed_type::planning(finished(exec, half), options))),
        estimate_(with_indices(half_.estimate(), half, options, half_.subdivisions())) {
    SpmvOptions transposed = options.product;
    transposed.mode = Mode::transpose;
    half_.for_each(exec, [&](const Matrix& rows, const SpmvPlan<Matrix>& plan, const Subdivision& part) {
      const impl::ColumnRange columns = impl::columns_of(half, part);
      const Matrix narrow(
          rows.block_shape(),
          {static_cast<typename Matrix::ordinal_type>(columns.count), rows.graph().row_ptr(), rows.graph().col_idx()},
          rows.values());
      auto index = transpose_index(exec, rows.graph(), columns.first, columns.count);
      parts_.push_back(
          {part, rows, plan, columns.as_rows(), narrow, SpmvPlan<Matrix>(exec, narrow, transposed, std::move(index))});
    });
    exec.fence("ashlar::streaming: set-up of the transposed products");
  }

  /// Of T; indices of columns count as structure.
  const StreamingEstimate& estimate() const { return estimate_; }
  /// That multiplies by T, for its rows.
  Kernel kernel() const { return half_.kernel(); }
  std::int64_t num_rows() const { return half_.num_rows(); }
  std::int64_t num_cols() const { return half_.num_cols(); }
  LocalSpace space() const { return half_.space(); }
  bool is_stream_ordered() const { return half_.is_stream_ordered(); }
  HeldBytes bytes() const { return {estimate_.device_bytes() - estimate_.vector_bytes, half_.bytes().host}; }

  /// The fewest bytes of device memory that a product moves; those over the link are estimate().sent_bytes.
  std::int64_t traffic_bytes() const { return 2 * half_.traffic_bytes(); }

  /// The memory that streaming A as T would take. Reads T's structure immediately.
  ///
  /// Throws   as the constructor does.
  static StreamingEstimate estimate(const host_type& half, const StreamingOptions& options = {}) {
    return work(half, options).estimate;
  }

  /// How `options` divide the work with T: for planning. Reads T's structure immediately.
  ///
  /// Throws   as the constructor does.
  static impl::StreamedWork work(const host_type& half, const StreamingOptions& options) {
    return planning(half, options)(options);
  }

  /// As StreamedMatrix.
  static auto planning(const host_type& half, const StreamingOptions& options) {
    return [half, work_with_half = streamed_type::planning(half, options)](const StreamingOptions& candidate) {
      impl::StreamedWork result = work_with_half(within_limit(half, candidate, work_with_half));
      result.estimate = with_indices(result.estimate, half, candidate, result.parts);
      return result;
    };
  }

  std::string explain() const {
    return text("T of a symmetric matrix A = T + T^T, each subdivision used for its rows and for its columns: ",
                half_.explain(), "; indices of columns take ",
                bytes_text(estimate_.structure_bytes - half_.estimate().structure_bytes), " more");
  }

  /// y := A x. x and y are vectors or multi-vectors as spmv() takes them.
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    apply(exec, 1, x, 0, y);
  }

  /// y := alpha*A*x + beta*y.
  ///
  /// Traffic  estimate().sent_bytes over the link, less what the buffers still hold.
  template <class X, class Y>
  void apply(const Exec& exec, const typename X::non_const_value_type& alpha, const X& x,
             const typename X::non_const_value_type& beta, const Y& y) const {
    const Kokkos::Profiling::ScopedRegion region("ashlar::streaming::apply");
    half_.check(x, y);
    using Scalar = typename X::non_const_value_type;
    if (beta != Scalar(1)) impl::scale(exec, beta, y);
    if (alpha == Scalar(0)) return;
    std::size_t k = 0;
    half_.for_each(exec, [&](const Matrix&, const SpmvPlan<Matrix>&, const Subdivision&) {
      multiply(exec, parts_[k++], alpha, x, y);
    });
  }

  /// The times of copies and products on this machine, for plan_streaming(); as StreamedMatrix, without a share of the
  /// host.
  template <class X, class Y>
  StreamingFigures measure(const Exec& exec, const X& x, const Y& y) const {
    half_.check(x, y);
    impl::scale(exec, typename X::non_const_value_type(0), y);
    return half_.measure_work(exec, [&](int k) { multiply(exec, parts_[k], 1, x, y); });
  }

  /// As StreamedMatrix.
  void values_changed(const Exec& exec) { half_.values_changed(exec); }
  [[nodiscard]] StreamRecording<Exec> record(StreamTimeline<Exec>& timeline) { return half_.record(timeline); }

 private:
  /// A subdivision, and the same as it is multiplied transposed: with the block columns alone in which it has blocks.
  struct Part {
    Subdivision place;
    Matrix rows;
    SpmvPlan<Matrix> plan;
    Subdivision columns;  // as block rows of y
    Matrix narrow;
    SpmvPlan<Matrix> transposed;
  };

  /// y += alpha*(T_k + T_k^T) x.
  template <class X, class Y>
  void multiply(const Exec& exec, const Part& part, const typename X::non_const_value_type& alpha, const X& x,
                const Y& y) const {
    spmv(exec, part.plan, alpha, part.rows, x, 1, half_.rows_of(y, part.place));
    spmv(exec, part.transposed, alpha, part.narrow, half_.rows_of(x, part.place), 1, half_.rows_of(y, part.columns));
  }

  static const host_type& finished(const Exec& exec, const host_type& half) {
    exec.fence("ashlar::streaming: half of the host's matrix");
    return half;
  }

  /// True if T is multiplied where it is.
  static bool is_in_place(const StreamingOptions& options) {
    return streamed_type::has_one_memory && !options.copy_always;
  }

  static std::uint64_t bytes_of_indices(const host_type& half, const StreamingOptions& options,
                                        const std::vector<Subdivision>& parts) {
    using Offset = typename Matrix::offset_type;
    constexpr std::uint64_t of_block = sizeof(typename Matrix::ordinal_type) + sizeof(Offset), of_allocations = 2048;
    std::uint64_t blocks = 0, offsets = 0, most = 0;
    for (const Subdivision& part : parts) {
      const std::uint64_t count = std::uint64_t(impl::columns_of(half, part).count) + 1;
      blocks += std::uint64_t(is_in_place(options) ? half.num_blocks() : part.num_sent());
      offsets += count;
      most = std::max(most, count);
    }
    // An index is made with as much scratch memory as it has offsets.
    return blocks * of_block + (offsets + most) * sizeof(Offset) + parts.size() * of_allocations;
  }

  /// The estimate for T alone and its indices.
  static StreamingEstimate with_indices(StreamingEstimate estimate, const host_type& half,
                                        const StreamingOptions& options, const std::vector<Subdivision>& parts) {
    estimate.structure_bytes += bytes_of_indices(half, options, parts);
    return estimate;
  }

  /// The options for T alone, within what the indices leave of the limit; work_with_half(options) is the work with T.
  template <class WorkWithHalf>
  static StreamingOptions within_limit(const host_type& half, StreamingOptions options,
                                       const WorkWithHalf& work_with_half) {
    if (options.host_share != 0 || options.structure == StructurePlacement::streamed ||
        options.product.mode != Mode::no_transpose) {
      throw ArgumentError(
          "streaming: a symmetric matrix with a share of the host, structure that is streamed, or a mode",
          "both products with a subdivision are made on the device, by structure that is there",
          "leave these options as they are");
    }
    options.structure = StructurePlacement::resident;
    if (is_in_place(options)) return options;
    const std::uint64_t available = available_bytes<typename Matrix::memory_space>();
    const impl::StreamingLimit limit = impl::streaming_limit(options, available);
    const std::uint64_t plannable = plannable_bytes(available);
    std::uint64_t least = 0;
    try {
      return beside_indices(half, options, limit.bytes, work_with_half);
    } catch (const MemoryError& error) {
      least = error.needed();
    }
    for (bool is_enough = false; !is_enough && least < plannable;) {
      try {
        beside_indices(half, options, least, work_with_half);
        is_enough = true;
      } catch (const MemoryError& error) {
        least = std::max(error.needed(), least + least / 64 + 1);
      }
    }
    throw limit.error(least,
                      text("streaming: half of a symmetric matrix needs ", bytes_text(least), " of device memory"),
                      "multiply fewer vectors at a time");
  }

  /// The options for T alone, within what the indices leave of `limit`.
  ///
  /// Throws   MemoryError with fewer bytes than would do, but more than the limit.
  template <class WorkWithHalf>
  static StreamingOptions beside_indices(const host_type& half, StreamingOptions options, std::uint64_t limit,
                                         const WorkWithHalf& work_with_half) {
    // Indices leave less room, which may ask for more subdivisions, which need larger indices.
    std::uint64_t indices = 0;
    try {
      for (;;) {
        options.device_memory_limit = limit > indices ? limit - indices : 1;
        const std::uint64_t needed = bytes_of_indices(half, options, work_with_half(options).parts);
        if (needed <= indices) return options;
        indices = needed + needed / 64;  // a little more each time, so that this ends soon
      }
    } catch (const MemoryError& error) {
      throw MemoryError(error.needed() + indices, limit, error.problem(), error.why(), error.suggestion());
    }
  }

  streamed_type half_;
  StreamingEstimate estimate_;
  std::vector<Part> parts_;
};

}  // namespace ashlar
