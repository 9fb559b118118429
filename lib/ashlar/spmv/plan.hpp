#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/matrix_bytes.hpp>
#include <ashlar/bcsr/transpose_index.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/choice/choose_launch.hpp>
#include <ashlar/spmv/impl/choice/launch_widths.hpp>
#include <ashlar/spmv/impl/choice/tuning_key.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/products/long_rows.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <ashlar/spmv/traffic.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <optional>
#include <string>
#include <utility>

namespace ashlar {

/// The requests of a caller to a plan.
struct SpmvOptions {
  Kernel kernel = Kernel::automatic;
  Mode mode = Mode::no_transpose;
  /// Lanes that share a block row: a power of two up to a warp, or a multiple of the warp; 0: the plan decides. (Where
  /// staged takes 16 or 32 vectors at a time it keeps to 32 lanes only, else it takes 8 or 16.)
  int width = 0;
  /// Columns of x and y that products will have at a time: on it depends which kernel multiplies several vectors, and
  /// for so many there is room where long block rows are cut into segments. Products with more of them work too.
  int num_vectors = 1;
  /// Block rows of a tile of by_tile: a power of two up to 128; 0: the plan decides.
  int tile_rows = 0;
  /// For CPUs: how many bytes ahead, up to 1 MiB, block_row_per_thread prefetches values (0: not at all). If left out,
  /// the plan decides. It applies to A and conj(A) and blocks of a compiled size, with one vector, and to single
  /// entries with several vectors by columns. It changes no bits.
  std::optional<int> prefetch_bytes = std::nullopt;
  /// The table in which the constructor of the plan looks up a measured choice (tune()) before it asks the cost model.
  /// The requests above come first.
  const TuningTable* tuning = nullptr;
  /// True if a matrix of floats is to multiply vectors of doubles. (A matrix of bfloat16 always does.) Products with
  /// either are right without it; but tables tell the two apart, and tensor_core takes doubles only.
  bool double_vectors = false;
};

/// How products with one matrix structure are made: which kernel, how its threads are grouped, and for A^T and A^H the
/// order of its entries. Made once, immutable, good for any values on the same graph.
///
/// Memory   A, conj(A): none. A^T, A^H: an index of num_blocks * (sizeof(Ordinal) + sizeof(Offset)) bytes and
///          num_block_cols + 1 offsets, in the matrix's memory space. Where a few block rows are much longer than the
///          rest, they are cut into segments (has_segments()): some indices, and a partial result of each for every
///          execution-space instance that multiplies. For the threads of a CPU: a number for each.
/// Async    waits for `exec`, to learn how long block rows are, unless it has a single thread. Any number of instances
///          may use a plan simultaneously; one thread of the host at a time enqueues on each.
/// Throws   BlockSizeError where the kernel asked for cannot take the block size, and says which can; ArgumentError
///          where the width is none that the kernel and the device have, or prefetch_bytes is out of range.
template <bcsr_matrix Matrix>
class SpmvPlan {
 public:
  using long_rows_type =
      impl::LongRows<typename Matrix::ordinal_type, typename Matrix::offset_type, typename Matrix::memory_space>;
  using graph_type = typename Matrix::graph_type;
  using scalar_type = typename Matrix::scalar_type;
  using index_type =
      TransposeIndex<typename Matrix::ordinal_type, typename Matrix::offset_type, typename Matrix::memory_space>;

  template <execution_space Exec>
  SpmvPlan(const Exec& exec, const Matrix& matrix, SpmvOptions options = {})
      : SpmvPlan(exec, matrix, options,
                 is_transposed(options.mode) ? transpose_index(exec, matrix.graph()) : index_type{}) {}

  /// Products with A^T or A^H by an existing index, of as many block columns as `matrix` has. The block columns come
  /// from the lists of the index; the graph's columns are ignored, and may count from another one.
  ///
  /// Throws   ShapeError besides, for an index of another number of columns.
  template <execution_space Exec>
  SpmvPlan(const Exec& exec, const Matrix& matrix, SpmvOptions options, index_type index)
      : mode_(options.mode), graph_(matrix.graph()), block_shape_(matrix.block_shape()), index_(std::move(index)) {
    static_assert(reachable_from<Exec, typename Matrix::values_view>,
                  "ashlar::SpmvPlan: the matrix must be reachable from the execution space");
    const bool transpose = is_transposed(mode_);
    if (transpose && index_.row_ptr.extent(0) != std::size_t(matrix.num_block_cols()) + 1) {
      throw ShapeError(text("spmv: an index of ", index_.row_ptr.extent(0), " offsets"),
                       text("the matrix has ", matrix.num_block_cols(), " block columns"),
                       "pass what transpose_index() makes for these columns");
    }
    // Member by member: in a template, nvcc 13.0 forgets the designators of a list that is assigned, and fills the
    // members from the first on.
    shape_.num_block_rows = transpose ? matrix.num_block_cols() : matrix.num_block_rows();
    shape_.num_blocks = matrix.num_blocks();
    shape_.num_cols = transpose ? matrix.num_rows() : matrix.num_cols();
    shape_.block_shape = transpose ? block_shape_.transposed() : block_shape_;
    shape_.value_bytes = sizeof(scalar_type);
    shape_.index_bytes = sizeof(typename Matrix::ordinal_type);
    shape_.by_columns = std::is_same_v<typename Matrix::layout_type, BlockColumnMajor> != transpose;
    shape_.in_order = !transpose;
    matrix_bytes_ = spmv_traffic_bytes(matrix, true, mode_, 0);
    choose(exec, options);
  }

  /// Products with some block rows of the matrix that `whole` is of: each row gets the same bits as from all of them,
  /// since it is multiplied by the same kernel, with as many lanes, and cut into the same segments.
  ///
  /// `rows` has those block rows; where they begin among its blocks is what its row pointers say.
  ///
  /// Throws   ArgumentError if the plan is for A^T or A^H, whose rows are columns of the stored matrix; ShapeError if
  ///          the block rows cannot belong to that matrix.
  template <execution_space Exec>
  SpmvPlan(const Exec& exec, const Matrix& rows, const SpmvPlan& whole) : SpmvPlan(whole) {
    if (is_transposed(mode_)) {
      throw ArgumentError(text("spmv: a plan for some block rows of ", symbol_of(mode_)),
                          "the blocks of its rows lie all over the matrix", "multiply by A or conj(A) row by row");
    }
    graph_ = rows.graph();
    shape_.num_block_rows = rows.num_block_rows();
    shape_.num_blocks = rows.num_blocks();
    matrix_bytes_ = spmv_traffic_bytes(rows, true, mode_, 0);
    if (rows.block_shape() != block_shape_ || rows.num_cols() != shape_.num_cols) {
      throw ShapeError(
          text("spmv: block rows of ", rows.num_cols(), " columns in blocks of ", to_string(rows.block_shape())),
          text("the plan is of ", shape_.num_cols, " columns in blocks of ", to_string(block_shape_)),
          "pass block rows of the matrix that the plan was made for");
    }
    // Where no row is too long for the whole, none is here.
    if (whole.has_segments()) shape_.longest_row = impl::longest_row(exec, row_ptr());
    choose_cache_hint(exec, impl::spmv_device(exec));
    cut_ranges(exec);
    cut_long_rows(exec, whole.long_rows_.num_vectors);
  }

  /// The same products with other options: both plans share the structure that this plan holds. options.mode is
  /// ignored.
  template <execution_space Exec>
  SpmvPlan with(const Exec& exec, const SpmvOptions& options) const {
    SpmvPlan result = *this;
    result.choose(exec, options);
    return result;
  }

  Kernel kernel() const { return launch_.kernel; }
  Mode mode() const { return mode_; }
  const BlockShape& block_shape() const { return block_shape_; }
  ChosenBy chosen_by() const { return chosen_by_; }

  /// The decision and its grounds, for people.
  std::string explain() const {
    std::string result = text("spmv y = ", symbol_of(mode_), " x: kernel ", to_string(launch_.kernel), ", block size ",
                              to_string(block_shape_), launch_.compiled_size > 0 ? " (compiled)" : " (run time)");
    result += impl::describe(launch_);
    if (has_segments()) {
      result += text(", ", long_rows_.row.extent(0), " block rows of more than ", launch_.longest_row, " blocks in ",
                     long_rows_.segment_begin.extent(0), " segments");
      if (impl::has_lanes(launch_.kernel)) result += text(" of ", segment_launch_.grouping.width, " lanes");
    }
    if (const int kept = cache_hint_.kept(); kept == CacheHint::parts) {
      result += ", the matrix kept in the device's cache";
    } else if (kept > 0) {
      result += text(", ", kept, "/", CacheHint::parts, " of the matrix kept in the device's cache");
    }
    const Kernel by_columns = multi_launch(false).kernel, by_rows = multi_launch(true).kernel;
    result += text("; ", grounds_, "; several vectors: kernel ", to_string(by_rows));
    return by_columns == by_rows ? result : text(result, ", by columns ", to_string(by_columns));
  }

  /// True if the plan was made for this matrix's structure; in constant time, from the shared parts of the graphs.
  bool fits(const Matrix& matrix) const {
    const graph_type& graph = matrix.graph();
    return matrix.block_shape() == block_shape_ && graph.num_block_rows() == graph_.num_block_rows() &&
           graph.num_block_cols() == graph_.num_block_cols() && graph.num_blocks() == graph_.num_blocks() &&
           (!holds_structure() || graph.col_idx().data() == graph_.col_idx().data());
  }

  /// True if some block rows are cut into segments.
  bool has_segments() const { return long_rows_.row.extent(0) > 0; }

  /// True if threads of a CPU take ranges of block rows that were cut for this structure.
  bool has_ranges() const {
    return std::max({launch_.first_row.extent(0), multi_launch_[0].first_row.extent(0),
                     multi_launch_[1].first_row.extent(0)}) > 0;
  }

  /// How much of the matrix the device is asked to keep in its last cache until the next product: what that has room
  /// for, where loads can tell it (device_cache_bytes). Kernels that take entries one by one do not ask.
  const CacheHint& cache_hint() const { return cache_hint_; }

  const impl::SpmvShape& shape() const { return shape_; }
  const impl::SpmvLaunch& launch() const { return launch_; }
  const impl::SpmvLaunch& segment_launch() const { return segment_launch_; }
  /// The launch for several vectors, whose entries of a row lie side by side or not.
  const impl::SpmvLaunch& multi_launch(bool by_rows) const { return multi_launch_[by_rows]; }
  const impl::SpmvLaunch& multi_segment_launch(bool by_rows) const { return multi_segment_launch_[by_rows]; }
  const long_rows_type& long_rows() const { return long_rows_; }
  const index_type& index() const { return index_; }

 private:
  std::string label_of(Kernel kernel, const char* what = "") const {
    return text("ashlar::spmv[", to_string(kernel), ",b=", to_string(block_shape_), ",", scalar_name<scalar_type>(),
                what, mode_ == Mode::no_transpose ? "" : text(",", to_string(mode_)), "]");
  }

  /// True if the plan depends on more of the structure than its sizes: the index of A^T, the positions of long rows, or
  /// the block rows of each thread.
  bool holds_structure() const { return is_transposed(mode_) || has_segments() || has_ranges(); }

  auto row_ptr() const { return is_transposed(mode_) ? index_.row_ptr : graph_.row_ptr(); }

  template <class Exec>
  void choose(const Exec& exec, const SpmvOptions& options) {
    if (options.num_vectors < 1) {
      throw ArgumentError(text("spmv: a plan for ", options.num_vectors, " vectors"), "there is one at least",
                          "leave num_vectors at 1 if products are with single vectors");
    }
    // One thread alone takes block rows as long as they are.
    const bool by_thread = options.kernel == Kernel::automatic ? !is_gpu_v<Exec> : !impl::has_lanes(options.kernel);
    const bool any_length = options.tuning == nullptr && by_thread && (is_gpu_v<Exec> || exec.concurrency() == 1);
    if (!any_length && !knows_longest_row_) {
      shape_.longest_row = impl::longest_row(exec, row_ptr());
      knows_longest_row_ = true;
    }
    shape_.num_vectors = options.num_vectors;
    shape_.double_vectors = impl::are_vectors_double<scalar_type>(options.double_vectors);
    const impl::SpmvDevice device = impl::spmv_device(exec);
    choose_cache_hint(exec, device);
    std::optional<TuningChoice> measured;
    if (options.tuning != nullptr) {
      measured = options.tuning->find(impl::tuning_key<Matrix>(exec, shape_, mode_, options.double_vectors));
    }
    // Some kernels are of no use to one vector.
    const bool of_many = options.kernel != Kernel::automatic && !impl::has_single(options.kernel);
    const impl::LaunchRequest request{of_many ? Kernel::automatic : options.kernel, of_many ? 0 : options.width,
                                      options.tile_rows, options.prefetch_bytes};
    impl::Decision decision = impl::decide(shape_, device, request, measured);
    launch_ = std::move(decision.launch);
    chosen_by_ = decision.chosen_by;
    grounds_ = std::move(decision.grounds);
    launch_.label = label_of(launch_.kernel);
    for (const bool by_rows : {false, true}) {
      impl::SpmvShape shape = shape_;
      shape.vectors_by_rows = by_rows;
      impl::SpmvLaunch& launch = multi_launch_[by_rows];
      launch = impl::choose_multi_launch(shape, device, options.kernel, options.width);
      launch.longest_row = launch_.longest_row;
      // Vectors by columns are read one by one, as a single one is. (By rows it has no effect.)
      if (!by_rows && launch.kernel == launch_.kernel) launch.prefetch_bytes = launch_.prefetch_bytes;
      launch.label = label_of(launch.kernel, ",vectors");
    }
    cut_ranges(exec);
    cut_long_rows(exec, options.num_vectors);
    segment_launch_ = {};
    multi_segment_launch_ = {};
    if (!has_segments()) return;
    const auto num_segments = static_cast<std::int64_t>(long_rows_.segment_begin.extent(0));
    segment_launch_ = impl::choose_segment_launch(shape_, num_segments, device, launch_);
    for (const bool by_rows : {false, true}) {
      multi_segment_launch_[by_rows] =
          impl::choose_segment_launch(shape_, num_segments, device, multi_launch_[by_rows], true);
    }
  }

  template <class Exec>
  void choose_cache_hint(const Exec& exec, const impl::SpmvDevice& device) {
    const std::int64_t entries = shape_.num_block_rows * shape_.block_shape.rows + shape_.num_cols;  // of y and x
    shape_.traffic_bytes = matrix_bytes_ + entries * impl::vector_bytes_of(shape_) * shape_.num_vectors;
    cache_hint_ = cache_hint_for(exec, impl::choose_cache_hint(shape_, device).kept());
  }

  /// The block rows that each thread of a CPU takes.
  template <class Exec>
  void cut_ranges([[maybe_unused]] const Exec& exec) {
    if constexpr (!is_gpu_v<Exec>) {
      RowRanges first_row;
      for (impl::SpmvLaunch* launch : {&launch_, &multi_launch_[0], &multi_launch_[1]}) {
        launch->first_row = {};
        if (impl::has_lanes(launch->kernel) || exec.concurrency() == 1) continue;
        if (first_row.extent(0) == 0) {
          exec.fence("ashlar::spmv_plan: row pointers");
          first_row = row_ranges(exec, row_ptr(), shape_.block_shape, exec.concurrency(), launch_.longest_row);
        }
        launch->first_row = first_row;
      }
    }
  }

  template <class Exec>
  void cut_long_rows(const Exec& exec, int num_vectors) {
    long_rows_ = {};
    long_rows_.num_vectors = num_vectors;
    if (shape_.longest_row <= launch_.longest_row) return;
    // Partial results in the precision of the vectors, which may exceed the precision of the values.
    const std::size_t partial_bytes = sizeof(vector_scalar_t<scalar_type>) * shape_.block_shape.rows * num_vectors;
    impl::find_long_rows(exec, row_ptr(), launch_.longest_row, impl::blocks_of_segment(block_shape_), partial_bytes,
                         long_rows_);
  }

  Mode mode_;
  graph_type graph_;
  BlockShape block_shape_;
  impl::SpmvShape shape_;
  std::int64_t matrix_bytes_ = 0;  // that a product reads
  bool knows_longest_row_ = false;
  CacheHint cache_hint_;
  impl::SpmvLaunch launch_, segment_launch_;
  std::array<impl::SpmvLaunch, 2> multi_launch_, multi_segment_launch_;  // of vectors by columns, by rows
  ChosenBy chosen_by_ = ChosenBy::cost_model;
  std::string grounds_;
  long_rows_type long_rows_;
  index_type index_;
};

/// Memory that a plan holds besides: the index of A^T.
template <bcsr_matrix Matrix>
HeldBytes held_bytes(const SpmvPlan<Matrix>& plan) {
  const auto bytes = [](const auto& view) { return std::uint64_t(view.span()) * sizeof(*view.data()); };
  const auto& index = plan.index();
  return {bytes(index.row_ptr) + bytes(index.block_row) + bytes(index.block_offset), 0};
}

}  // namespace ashlar
