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
#include <ashlar/spmv/impl/decide.hpp>
#include <ashlar/spmv/impl/long_rows.hpp>
#include <ashlar/spmv/impl/spmv_launch.hpp>
#include <ashlar/spmv/impl/tuning_key.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <optional>
#include <string>

namespace ashlar {

/// What a caller may ask of a plan.
struct SpmvOptions {
  Kernel kernel = Kernel::automatic;
  Mode mode = Mode::no_transpose;
  /// Lanes that share a block row: a power of two up to a warp, or a multiple of the warp; 0: the plan decides.
  int width = 0;
  /// Block rows of a tile of by_tile: a power of two up to 128; 0: the plan decides.
  int tile_rows = 0;
  /// Where to look for a choice that was measured (tune()) before the cost model is asked; read by the constructor of
  /// the plan only. What is asked for above comes first.
  const TuningTable* tuning = nullptr;
  /// Whether a matrix of floats is to multiply vectors of doubles: tables tell the two apart.
  bool double_vectors = false;
};

/// How products with one matrix structure are made: which kernel, how its threads are grouped, and for A^T the order
/// of its entries. Made once, immutable, good for any values on the same graph.
///
/// Memory   no_transpose: none. transpose: an index of num_blocks * (sizeof(Ordinal) + sizeof(Offset)) bytes and
///          num_block_cols + 1 offsets, in the matrix's memory space. Where a few block rows are much longer than the
///          rest, they are cut into segments: some indices and a partial result for each. Such a plan (has_segments())
///          serves one execution-space instance at a time.
/// Async    waits for `exec` where groups of lanes are to take block rows or a tuning table is asked, to learn of the
///          longest.
/// Throws   BlockSizeError where the kernel asked for cannot take the block size, and says which can; ArgumentError
///          where the width is none that the kernel and the device have.
/// Tuning   with a table, its choice for the matrix's class (TuningKey) is taken; and left aside, as explain() says,
///          where its kernel cannot take this very matrix.
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
    const bool transpose = mode_ == Mode::transpose;
    shape_ = {.num_block_rows = transpose ? matrix.num_block_cols() : matrix.num_block_rows(),
              .num_blocks = matrix.num_blocks(),
              .num_cols = transpose ? matrix.num_rows() : matrix.num_cols(),
              .block_size = block_size_,
              .value_bytes = sizeof(typename Matrix::scalar_type),
              .by_columns = std::is_same_v<typename Matrix::layout_type, BlockColumnMajor> != transpose,
              .in_order = !transpose};
    choose(exec, options);
  }

  /// The same products in another way: what this plan holds of the structure is shared. options.mode is not looked at.
  template <execution_space Exec>
  SpmvPlan with(const Exec& exec, const SpmvOptions& options) const {
    SpmvPlan result = *this;
    result.choose(exec, options);
    return result;
  }

  Kernel kernel() const { return launch_.kernel; }
  Mode mode() const { return mode_; }
  int block_size() const { return block_size_; }
  ChosenBy chosen_by() const { return chosen_by_; }

  /// The decision and its grounds, for people.
  std::string explain() const {
    std::string result =
        text("spmv ", mode_ == Mode::transpose ? "y = A^T x" : "y = A x", ": kernel ", to_string(launch_.kernel),
             ", block size ", block_size_, is_compiled_block_size(block_size_) ? " (compiled)" : " (run time)");
    const impl::Grouping& grouping = launch_.grouping;
    if (launch_.kernel == Kernel::block_row_per_thread) {
      result += ", one thread a block row";
    } else if (launch_.kernel == Kernel::by_tile) {
      result += text(", ", launch_.tile.rows, " block rows a tile, ", grouping.width, " lanes a tile");
    } else {
      result += text(", ", grouping.width, " lanes a block row, ", grouping.groups, " block rows a team");
    }
    if (has_segments()) {
      result += text(", ", long_rows_.row.extent(0), " block rows of more than ", launch_.longest_row, " blocks in ",
                     long_rows_.segment_begin.extent(0), " segments of ", segment_launch_.grouping.width, " lanes");
    }
    return result + "; " + grounds_;
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

  const impl::SpmvShape& shape() const { return shape_; }
  const impl::SpmvLaunch& launch() const { return launch_; }
  const impl::SpmvLaunch& segment_launch() const { return segment_launch_; }
  const long_rows_type& long_rows() const { return long_rows_; }
  const index_type& index() const { return index_; }

 private:
  /// Whether the plan holds more of the structure than its sizes: the index of A^T, or where long rows begin and end.
  bool holds_structure() const { return mode_ == Mode::transpose || has_segments(); }

  auto row_ptr() const { return mode_ == Mode::transpose ? index_.row_ptr : graph_.row_ptr(); }

  template <class Exec>
  void choose(const Exec& exec, const SpmvOptions& options) {
    // The kernels in which one thread takes a block row take it as long as it is.
    const bool any_length = options.tuning == nullptr && (options.kernel == Kernel::block_row_per_thread ||
                                                          (options.kernel == Kernel::automatic && !is_gpu_v<Exec>));
    if (!any_length && !knows_longest_row_) {
      shape_.longest_row = impl::longest_row(exec, row_ptr());
      knows_longest_row_ = true;
    }
    const impl::SpmvDevice device = impl::spmv_device(exec);
    std::optional<TuningChoice> measured;
    if (options.tuning != nullptr) {
      measured = options.tuning->find(impl::tuning_key<Matrix>(exec, shape_, mode_, options.double_vectors));
    }
    impl::Decision decision =
        impl::decide(shape_, device, {options.kernel, options.width, options.tile_rows}, measured);
    launch_ = std::move(decision.launch);
    chosen_by_ = decision.chosen_by;
    grounds_ = std::move(decision.grounds);
    launch_.label = text("ashlar::spmv[", to_string(launch_.kernel), ",b=", block_size_, ",",
                         scalar_name<typename Matrix::scalar_type>(), mode_ == Mode::transpose ? ",transpose]" : "]");
    long_rows_ = {};
    segment_launch_ = {};
    if (shape_.longest_row > launch_.longest_row) {
      // Partial results in the precision of the vectors, which may be twice that of the values.
      const std::size_t partial_bytes = 2 * sizeof(typename Matrix::scalar_type) * block_size_;
      impl::find_long_rows(exec, row_ptr(), launch_.longest_row, impl::blocks_of_segment(block_size_), partial_bytes,
                           long_rows_);
      segment_launch_ = impl::choose_segment_launch(
          shape_, static_cast<std::int64_t>(long_rows_.segment_begin.extent(0)), device, launch_);
    }
  }

  Mode mode_;
  graph_type graph_;
  int block_size_;
  impl::SpmvShape shape_;
  bool knows_longest_row_ = false;
  impl::SpmvLaunch launch_, segment_launch_;
  ChosenBy chosen_by_ = ChosenBy::cost_model;
  std::string grounds_;
  long_rows_type long_rows_;
  index_type index_;
};

}  // namespace ashlar
