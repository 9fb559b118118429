#pragma once

#include <array>
#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/io/block_file.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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
/// Block columns are not checked: readers check them.
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

/// The header of a block file, for its whole matrix: types by name, numbers of all rows.
struct BlockFileContent {
  std::string scalar, layout;  ///< scalar_name<double>(), BlockColumnMajor::name
  int col_idx_bytes = 4;
  BlockShape block_shape;
  std::int64_t num_block_rows = 0, num_block_cols = 0, num_blocks = 0;
};

/// Where the bytes of a block file lie, for those who write it in parts, each at its places and in any order.
///
/// A section (row_ptr, col_idx, values) is written in chunks: who writes a chunk makes its checksum, for which it needs
/// all of the chunk. When all sections are there, the checksums and the header make the file whole.
///
/// Throws   ShapeError where 64 bits do not count the rows, columns or bytes; ArgumentError for the size of a chunk
///          that is none; FileError on a machine of the other byte order.
class BlockFilePlaces {
 public:
  explicit BlockFilePlaces(const BlockFileContent& content, const BlockFileOptions& options = {});
  ~BlockFilePlaces();
  BlockFilePlaces(BlockFilePlaces&&) noexcept;
  BlockFilePlaces& operator=(BlockFilePlaces&&) noexcept;

  struct Section {
    std::uint64_t offset, bytes;
  };
  /// (num_block_rows + 1) numbers of 64 bits.
  Section row_ptr() const;
  Section col_idx() const;
  Section values() const;
  /// A number of 64 bits for each chunk of these three, in this order.
  Section checksums() const;
  std::uint64_t chunk_bytes() const;

  static constexpr std::size_t header_bytes = 4096;
  /// The file's first bytes, by all of its checksums.
  ///
  /// Throws   ShapeError where they are not as many as there are chunks.
  std::array<std::byte, header_bytes> header(std::span<const std::uint64_t> checksums) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// The checksums of the chunks of these bytes, which begin where a chunk does; the last may be shorter.
std::vector<std::uint64_t> block_file_checksums(std::span<const std::byte> bytes, std::uint64_t chunk_bytes);

/// A file that is written at places in any order; between them are zeros.
///
/// A new one is removed where it is left without close(), and at the first error.
///
/// Throws   FileError from every operation; for an existing path that is no regular file, which has no positions.
class PlacedWriter {
 public:
  /// The owner of the file: this object makes it and replaces the existing one; or another process has made it and
  /// several write to it, and this object never removes it.
  enum class File { made, shared };

  /// Errors name the file `shown`, whose place it is to take.
  PlacedWriter(std::string path, std::string shown, File file = File::made);
  ~PlacedWriter();
  PlacedWriter(const PlacedWriter&) = delete;
  PlacedWriter& operator=(const PlacedWriter&) = delete;

  void write(std::uint64_t offset, const void* bytes, std::size_t size);
  void close();

 private:
  void discard() noexcept;
  [[noreturn]] void fail(int error_number);

  void remove() noexcept;

  std::string path_, shown_;
  bool is_mine_;
  int file_ = -1;
};

}  // namespace ashlar::io
