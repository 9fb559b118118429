#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/transpose_index.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/choose_launch.hpp>
#include <ashlar/spmv/impl/long_rows.hpp>
#include <ashlar/spmv/impl/spmv_launch.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <string>

namespace ashlar {

/// What a caller may ask of a plan.
struct SpmvOptions {
  Kernel kernel = Kernel::automatic;
  Mode mode = Mode::no_transpose;
  /// Lanes that share a block row: a power of two up to a warp, or a multiple of the warp; 0: the plan decides.
  int width = 0;
};

/// How products with one matrix structure are made: which kernel, how its threads are grouped, and for A^T the order
/// of its entries. Made once, immutable, good for any values on the same graph.
///
/// Memory   no_transpose: none. transpose: an index of num_blocks * (sizeof(Ordinal) + sizeof(Offset)) bytes and
///          num_block_cols + 1 offsets, in the matrix's memory space. Where a few block rows are much longer than the
///          rest, they are cut into segments: some indices and a partial result for each. Such a plan (has_segments())
///          serves one execution-space instance at a time. For the threads of a CPU: a number for each.
/// Async    waits for `exec`, to learn how long block rows are; not where it has a single thread.
/// Throws   BlockSizeError where the kernel asked for cannot take the block size, and says which can; ArgumentError
///          where the width is none that the kernel and the device have.
template <bcsr_matrix Matrix>
class SpmvPlan {
 public:
  using long_rows_type =
      impl::LongRows<typename Matrix::ordinal_type, typename Matrix::offset_type, typename Matrix::memory_space>;
  using graph_type = typename Matrix::graph_type;
  using index_type =
      TransposeIndex<typename Matrix::ordinal_type, typename Matrix::offset_type, typename Matrix::memory_space>;

  template <execution_space Exec>
  SpmvPlan(const Exec& exec, const Matrix& matrix, SpmvOptions options = {})
      : mode_(options.mode), graph_(matrix.graph()), block_size_(matrix.block_size()) {
    static_assert(reachable_from<Exec, typename Matrix::values_view>,
                  "ashlar::SpmvPlan: the matrix must be reachable from the execution space");
    if (mode_ == Mode::transpose) index_ = transpose_index(exec, matrix.graph());
    // One thread alone takes block rows as long as they are.
    const bool by_thread =
        options.kernel == Kernel::block_row_per_thread || (options.kernel == Kernel::automatic && !is_gpu_v<Exec>);
    const bool any_length = by_thread && (is_gpu_v<Exec> || exec.concurrency() == 1);
    const auto row_ptr = mode_ == Mode::transpose ? index_.row_ptr : graph_.row_ptr();
    const impl::SpmvShape shape{
        .num_block_rows = mode_ == Mode::transpose ? matrix.num_block_cols() : matrix.num_block_rows(),
        .num_blocks = matrix.num_blocks(),
        .num_cols = mode_ == Mode::transpose ? matrix.num_rows() : matrix.num_cols(),
        .block_size = block_size_,
        .longest_row = any_length ? 0 : impl::longest_row(exec, row_ptr),
        .value_bytes = sizeof(typename Matrix::scalar_type),
        .by_columns = std::is_same_v<typename Matrix::layout_type, BlockColumnMajor> == (mode_ == Mode::no_transpose),
        .in_order = mode_ == Mode::no_transpose};
    const impl::SpmvDevice device{is_gpu_v<Exec>, is_gpu_v<Exec> ? Kokkos::TeamPolicy<Exec>::vector_length_max() : 32,
                                  exec.concurrency()};
    launch_ = impl::choose_launch(shape, device, options.kernel, options.width);
    launch_.label = text("ashlar::spmv[", to_string(launch_.kernel), ",b=", block_size_, ",",
                         scalar_name<typename Matrix::scalar_type>(), mode_ == Mode::transpose ? ",transpose]" : "]");
    if constexpr (!is_gpu_v<Exec>) {
      if (by_thread && !any_length) {
        exec.fence("ashlar::spmv_plan: row pointers");
        launch_.first_row = row_ranges(exec, row_ptr, block_size_, exec.concurrency(), launch_.longest_row);
      }
    }
    if (shape.longest_row > launch_.longest_row) {
      // Partial results in the precision of the vectors, which may be twice that of the values.
      const std::size_t partial_bytes = 2 * sizeof(typename Matrix::scalar_type) * block_size_;
      impl::find_long_rows(exec, row_ptr, launch_.longest_row, impl::blocks_of_segment(block_size_), partial_bytes,
                           long_rows_);
      segment_launch_ = impl::choose_segment_launch(
          shape, static_cast<std::int64_t>(long_rows_.segment_begin.extent(0)), device, launch_);
    }
  }

  Kernel kernel() const { return launch_.kernel; }
  Mode mode() const { return mode_; }
  int block_size() const { return block_size_; }

  /// The decision and its grounds, for people.
  std::string explain() const {
    std::string result =
        text("spmv ", mode_ == Mode::transpose ? "y = A^T x" : "y = A x", ": kernel ", to_string(launch_.kernel),
             ", block size ", block_size_, is_compiled_block_size(block_size_) ? " (compiled)" : " (run time)");
    const impl::Grouping& grouping = launch_.grouping;
    if (launch_.kernel == Kernel::block_row_per_thread) {
      result += ", one thread a block row";
      if (has_ranges()) result += text(", ", launch_.first_row.extent(0) - 1, " ranges of about equal work");
    } else if (launch_.kernel == Kernel::by_tile) {
      result += text(", ", launch_.tile.rows, " block rows a tile, ", grouping.width, " lanes a tile");
    } else {
      result += text(", ", grouping.width, " lanes a block row, ", grouping.groups, " block rows a team");
    }
    if (has_segments()) {
      result += text(", ", long_rows_.row.extent(0), " block rows of more than ", launch_.longest_row, " blocks in ",
                     long_rows_.segment_begin.extent(0), " segments");
      if (launch_.kernel != Kernel::block_row_per_thread) {
        result += text(" of ", segment_launch_.grouping.width, " lanes");
      }
    }
    return result;
  }

  /// Whether the plan was made for this matrix's structure; in constant time, from what the graphs share.
  bool fits(const Matrix& matrix) const {
    const graph_type& graph = matrix.graph();
    return matrix.block_size() == block_size_ && graph.num_block_rows() == graph_.num_block_rows() &&
           graph.num_block_cols() == graph_.num_block_cols() && graph.num_blocks() == graph_.num_blocks() &&
           (!holds_structure() || graph.col_idx().data() == graph_.col_idx().data());
  }

  /// Whether some block rows are cut into segments.
  bool has_segments() const { return long_rows_.row.extent(0) > 0; }

  /// Whether threads of a CPU take ranges of block rows that were cut for this structure.
  bool has_ranges() const { return launch_.first_row.extent(0) > 0; }

  const impl::SpmvLaunch& launch() const { return launch_; }
  const impl::SpmvLaunch& segment_launch() const { return segment_launch_; }
  const long_rows_type& long_rows() const { return long_rows_; }
  const index_type& index() const { return index_; }

 private:
  /// Whether the plan holds more of the structure than its sizes: the index of A^T, where long rows begin and end, or
  /// which block rows a thread takes.
  bool holds_structure() const { return mode_ == Mode::transpose || has_segments() || has_ranges(); }

  Mode mode_;
  graph_type graph_;
  int block_size_;
  impl::SpmvLaunch launch_, segment_launch_;
  long_rows_type long_rows_;
  index_type index_;
};

}  // namespace ashlar
