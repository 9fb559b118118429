#pragma once

#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/io/block_file.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::io {

namespace impl {

/// What BlockFileWriter does whatever the types: `blocks` are bytes.
class BlockFileParts {
 public:
  /// `matrix` without its blocks.
  BlockFileParts(const std::string& path, const HostMatrix& matrix, const BlockFileOptions& options);
  ~BlockFileParts();
  BlockFileParts(BlockFileParts&&) noexcept;
  BlockFileParts& operator=(BlockFileParts&&) noexcept;

  std::int64_t num_blocks_left() const;
  void append(std::int64_t count, const void* col_idx, const void* values);
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace impl

/// Writes a block file part by part: for a matrix that is never in memory as a whole.
///
/// The row pointers come first, then the blocks in their order, as many at a time as suits. The file takes its name in
/// close(), as with write_block_file(); without it, nothing is left behind.
///
/// Types    the values, layout and block columns of Matrix, wherever that would be.
/// Memory   the row pointers, 8 bytes a block row; 8 bytes for each chunk; three chunks.
/// Async    none: plain host code.
/// Throws   StructureError for row pointers that do not rise from 0; ShapeError where 64 bits do not count the rows or
///          columns; ArgumentError for a chunk's size that is none, for more blocks than there are, for fewer at
///          close(), and after that; FileError when the file cannot be written.
///
/// Block columns are not looked at: who reads them does.
template <bcsr_matrix Matrix>
class BlockFileWriter {
 public:
  using scalar_type = typename Matrix::scalar_type;
  using ordinal_type = typename Matrix::ordinal_type;

  BlockFileWriter(const std::string& path, const BlockShape& block_shape, std::int64_t num_block_cols,
                  std::vector<std::int64_t> row_ptr, const BlockFileOptions& options = {})
      : parts_(path, matrix_of(block_shape, num_block_cols, std::move(row_ptr)), options) {}

  /// The next `count` blocks: their columns and, in the layout of Matrix, their values.
  void append(std::int64_t count, const ordinal_type* col_idx, const scalar_type* values) {
    parts_.append(count, col_idx, values);
  }

  /// Blocks that are still to come.
  std::int64_t num_blocks_left() const { return parts_.num_blocks_left(); }

  /// When all blocks have come: the file is whole, and has its name.
  void close() { parts_.close(); }

 private:
  static impl::HostMatrix matrix_of(const BlockShape& block_shape, std::int64_t num_block_cols,
                                    std::vector<std::int64_t> row_ptr) {
    const std::int64_t num_blocks = row_ptr.empty() ? 0 : row_ptr.back();
    return {.scalar = ashlar::scalar_name<scalar_type>(),
            .layout = Matrix::layout_type::name,
            .col_idx_bytes = sizeof(ordinal_type),
            .block_shape = block_shape,
            .num_block_cols = num_block_cols,
            .num_blocks = num_blocks,
            .row_ptr = std::move(row_ptr),
            .col_idx = nullptr,
            .values = nullptr};
  }

  impl::BlockFileParts parts_;
};

}  // namespace ashlar::io
