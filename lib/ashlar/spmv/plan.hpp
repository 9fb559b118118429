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
#include <ashlar/spmv/impl/launch.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <string>

namespace ashlar {

/// What a caller may ask of a plan.
struct SpmvOptions {
  Kernel kernel = Kernel::automatic;
  Mode mode = Mode::no_transpose;
  int width = 0;  ///< lanes that share a block row, a power of two; 0: the plan decides
};

/// How products with one matrix structure are made: which kernel, how its threads are grouped, and for A^T the order
/// of its entries. Made once, immutable, good for any values on the same graph.
///
/// Memory   no_transpose: none. transpose: an index of num_blocks * (sizeof(Ordinal) + sizeof(Offset)) bytes and
///          num_block_cols + 1 offsets, in the matrix's memory space.
/// Throws   BlockSizeError where the kernel asked for cannot take the block size, and says which can; ArgumentError
///          where the width is none that the kernel and the device have.
template <bcsr_matrix Matrix>
class SpmvPlan {
 public:
  using graph_type = typename Matrix::graph_type;
  using index_type =
      TransposeIndex<typename Matrix::ordinal_type, typename Matrix::offset_type, typename Matrix::memory_space>;

  template <execution_space Exec>
  SpmvPlan(const Exec& exec, const Matrix& matrix, SpmvOptions options = {})
      : mode_(options.mode), graph_(matrix.graph()), block_size_(matrix.block_size()) {
    static_assert(reachable_from<Exec, typename Matrix::values_view>,
                  "ashlar::SpmvPlan: the matrix must be reachable from the execution space");
    const impl::SpmvShape shape{mode_ == Mode::transpose ? matrix.num_block_cols() : matrix.num_block_rows(),
                                mode_ == Mode::transpose ? matrix.num_rows() : matrix.num_cols(), matrix.num_blocks(),
                                block_size_};
    const impl::SpmvDevice device{is_gpu_v<Exec>, Kokkos::TeamPolicy<Exec>::vector_length_max()};
    launch_ = impl::choose_launch(shape, device, options.kernel, options.width);
    launch_.label = text("ashlar::spmv[", to_string(launch_.kernel), ",b=", block_size_, ",",
                         scalar_name<typename Matrix::scalar_type>(), mode_ == Mode::transpose ? ",transpose]" : "]");
    if (mode_ == Mode::transpose) index_ = transpose_index(exec, matrix.graph());
  }

  Kernel kernel() const { return launch_.kernel; }
  Mode mode() const { return mode_; }
  int block_size() const { return block_size_; }

  /// The decision and its grounds, for people.
  std::string explain() const {
    return text("spmv ", mode_ == Mode::transpose ? "y = A^T x" : "y = A x", ": kernel ", to_string(launch_.kernel),
                ", block size ", block_size_, is_compiled_block_size(block_size_) ? " (compiled)" : " (run time)",
                launch_.kernel == Kernel::block_row_per_thread
                    ? std::string(", one thread a block row")
                    : text(", ", launch_.width, " lanes a block row, ", launch_.team_size, " block rows a team"));
  }

  /// Whether the plan was made for this matrix's structure; in constant time, from what the graphs share.
  bool fits(const Matrix& matrix) const {
    const graph_type& graph = matrix.graph();
    return matrix.block_size() == block_size_ && graph.num_block_rows() == graph_.num_block_rows() &&
           graph.num_block_cols() == graph_.num_block_cols() && graph.num_blocks() == graph_.num_blocks() &&
           (mode_ == Mode::no_transpose || graph.col_idx().data() == graph_.col_idx().data());
  }

  const impl::SpmvLaunch& launch() const { return launch_; }
  const index_type& index() const { return index_; }

 private:
  Mode mode_;
  graph_type graph_;
  int block_size_;
  impl::SpmvLaunch launch_;
  index_type index_;
};

}  // namespace ashlar
