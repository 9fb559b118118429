#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/graph.hpp>
#include <cstdint>
#include <utility>

namespace ashlar {

/// A sparse matrix of dense blocks of one size, square or not: block compressed sparse row (BCSR, BSR).
///
/// Shapes   (num_block_rows * R) x (num_block_cols * C), with blocks of R x C. The values are one vector of
///          num_blocks * R * C entries, block after block in the order of the graph, each block as Layout says.
/// Types    values are scalars or bfloat16; matrices of float or bfloat16 also multiply vectors of doubles.
/// Memory   everything in MemorySpace, shared as views are: copying a matrix copies no data.
/// Throws   ShapeError, BlockSizeError at construction.
/// Source   the storage of Eberhardt & Hoemmen 2016.
template <matrix_value Scalar, class Layout = BlockColumnMajor, class Ordinal = std::int32_t,
          class Offset = std::int32_t, memory_space MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
class BcsrMatrix {
 public:
  using scalar_type = Scalar;
  using layout_type = Layout;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using memory_space = MemorySpace;
  using graph_type = BcsrGraph<Ordinal, Offset, MemorySpace>;
  using values_view = Kokkos::View<Scalar*, MemorySpace>;
  /// The same matrix type in another memory space.
  template <class OtherSpace>
  using in_space = BcsrMatrix<Scalar, Layout, Ordinal, Offset, OtherSpace>;

  BcsrMatrix() = default;

  BcsrMatrix(BlockShape block_shape, graph_type graph, values_view values)
      : block_shape_(block_shape), graph_(std::move(graph)), values_(std::move(values)) {
    check("BcsrMatrix", block_shape);
    if (static_cast<std::int64_t>(values_.extent(0)) != num_values()) {
      throw ShapeError(text("BcsrMatrix: ", values_.extent(0), " values"),
                       text(graph_.num_blocks(), " blocks of size ", to_string(block_shape), " hold ", num_values()),
                       "allocate num_blocks * R * C values for blocks of R x C");
    }
  }

  const BlockShape& block_shape() const { return block_shape_; }
  /// Of square blocks. Throws BlockSizeError for others, which have no one size.
  int block_size() const { return size_of_square("BcsrMatrix::block_size", block_shape_); }
  Ordinal num_block_rows() const { return graph_.num_block_rows(); }
  Ordinal num_block_cols() const { return graph_.num_block_cols(); }
  Offset num_blocks() const { return graph_.num_blocks(); }
  std::int64_t num_rows() const { return std::int64_t(num_block_rows()) * block_shape_.rows; }
  std::int64_t num_cols() const { return std::int64_t(num_block_cols()) * block_shape_.cols; }
  std::int64_t num_values() const { return std::int64_t(num_blocks()) * block_shape_.num_values(); }

  const graph_type& graph() const { return graph_; }
  const values_view& values() const { return values_; }

 private:
  BlockShape block_shape_;
  graph_type graph_;
  values_view values_;
};

template <class T>
struct IsBcsrMatrix : std::false_type {};
template <class... Args>
struct IsBcsrMatrix<BcsrMatrix<Args...>> : std::true_type {};

template <class T>
concept bcsr_matrix = IsBcsrMatrix<std::remove_cvref_t<T>>::value;

}  // namespace ashlar
