#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/streaming/impl/structure.hpp>
#include <ashlar/streaming/options.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace ashlar::impl {

/// Block rows that kernels take together: tiles (Kernel::by_tile) begin where they would in the whole matrix.
template <execution_space Exec>
std::int64_t rows_together(const BlockShape& block_shape) {
  const bool may_be_tiles = is_gpu_v<Exec> && std::max(block_shape.rows, block_shape.cols) <= 2;
  return may_be_tiles ? lanes_of_tile : 1;
}

/// The figures that do not depend on how a matrix is divided.
struct DivisionInvariants {
  std::uint64_t bytes_of_plans = 0, available_bytes = 0;
};

/// How a matrix is divided, by its row pointers alone: what the host multiplies, and into which subdivisions the rest
/// is cut, as options and memory have it.
template <class Matrix, class HostMatrix, execution_space Exec>
class StreamDivision {
 public:
  /// Reads the row pointers immediately. `matrix` and `options` outlive it.
  ///
  /// Throws   ArgumentError for a share of the host in a matrix that stays in its file.
  StreamDivision(const HostMatrix& matrix, const StreamingOptions& options, bool from_file)
      : StreamDivision(matrix, options, from_file, invariants_of(matrix, options)) {}
  /// The same with what invariants_of() the matrix has returned.
  StreamDivision(const HostMatrix& matrix, const StreamingOptions& options, bool from_file,
                 const DivisionInvariants& invariants)
      : matrix_(matrix), options_(options), from_file_(from_file), invariants_(invariants) {
    if (from_file && options.host_share != 0) {
      throw ArgumentError("streaming: a share of the host in products with a file's matrix",
                          "the host multiplies blocks where they are in its memory", "leave host_share at 0");
    }
    host_rows_ = last_block_rows(matrix.graph().row_ptr(), comes(options, from_file) ? options.host_share : 0,
                                 rows_together<Exec>(matrix.block_shape()));
  }

  /// Reads all row pointers, and asks the device how much memory it has left.
  static DivisionInvariants invariants_of(const HostMatrix& matrix, const StreamingOptions& options) {
    return {bytes_of_plans(matrix, options.product.num_vectors), available_bytes<typename Matrix::memory_space>()};
  }

  /// True if subdivisions come to where they are multiplied.
  static bool comes(const StreamingOptions& options, bool from_file) {
    return !has_one_memory || options.copy_always || from_file;
  }

  /// What the host multiplies.
  const Subdivision& host_rows() const { return host_rows_; }

  /// In the order in which they are multiplied; those that stay on the device are the first, as one.
  std::vector<Subdivision> subdivisions(const StreamingEstimate& estimate) const {
    return with_first_as_one(cut(estimate.num_subdivisions), estimate.num_resident);
  }

  /// Throws   as estimate_streaming().
  StreamingEstimate estimate() const {
    StreamedShape shape;
    shape.block_shape = matrix_.block_shape();
    shape.num_block_rows = matrix_.num_block_rows() - host_rows_.num_rows;
    shape.num_blocks = matrix_.num_blocks() - host_rows_.num_blocks;
    shape.num_rows = matrix_.num_rows();
    shape.num_cols = matrix_.num_cols();
    shape.scalar_bytes = sizeof(Scalar);
    shape.ordinal_bytes = sizeof(typename Matrix::ordinal_type);
    shape.offset_bytes = sizeof(typename Matrix::offset_type);
    shape.vector_scalar_bytes = bytes_of_vector_entry();
    shape.plan_bytes = invariants_.bytes_of_plans;
    // Kokkos' memory on the device for each of its instances: the copies' and the host's vectors'.
    constexpr std::uint64_t bytes_of_instance = 1 << 20;
    if (is_gpu_v<Exec>) shape.plan_bytes += 2 * bytes_of_instance;
    // The row pointers of a FileMatrix, twice, if its memory is the limited memory.
    if (has_one_memory && from_file_) {
      shape.plan_bytes +=
          std::uint64_t(matrix_.num_block_rows() + 1) * (sizeof(std::int64_t) + sizeof(typename Matrix::offset_type));
    }
    if (!comes(options_, from_file_)) return estimate_in_place(shape, options_);
    StreamingEstimate result =
        estimate_streaming(shape, options_, invariants_.available_bytes, [&](int count) { return cut(count); });
    result.host_bytes = std::uint64_t(host_rows_.num_blocks) * (bytes_of_block() + shape.ordinal_bytes);
    return result;
  }

  /// For planning. Throws as estimate().
  StreamedWork work() const {
    StreamedWork result;
    result.estimate = estimate();
    result.parts = subdivisions(result.estimate);
    result.host_blocks = host_rows_.num_blocks;
    result.bytes_of_sent_block =
        bytes_of_block() + (result.estimate.structure_is_resident ? 0 : sizeof(typename Matrix::ordinal_type));
    // About as many entries of x as of y.
    result.host_vector_bytes = std::uint64_t(host_rows_.num_rows * matrix_.block_shape().rows) *
                               bytes_of_vector_entry() * std::uint64_t(options_.product.num_vectors);
    if (!comes(options_, from_file_)) result.estimate.num_resident = result.estimate.num_subdivisions;
    return result;
  }

 private:
  using Scalar = typename Matrix::scalar_type;
  static constexpr bool has_one_memory = std::is_same_v<Matrix, HostMatrix>;

  std::uint64_t bytes_of_block() const { return std::uint64_t(matrix_.block_shape().num_values()) * sizeof(Scalar); }

  std::uint64_t bytes_of_vector_entry() const {
    return options_.product.double_vectors ? std::max(sizeof(double), sizeof(Scalar)) : vector_scalar_bytes_of<Scalar>;
  }

  std::vector<Subdivision> cut(int count) const {
    const auto& row_ptr = matrix_.graph().row_ptr();
    const std::size_t of_device = matrix_.num_block_rows() - host_rows_.num_rows;
    return subdivide(range_of(row_ptr, 0, std::min(row_ptr.extent(0), of_device + 1)), matrix_.block_shape(), count,
                     options_.taper, rows_together<Exec>(matrix_.block_shape()));
  }

  const HostMatrix& matrix_;
  const StreamingOptions& options_;
  bool from_file_;
  DivisionInvariants invariants_;
  Subdivision host_rows_;
};

}  // namespace ashlar::impl
