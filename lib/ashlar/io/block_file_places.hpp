#pragma once

#include <array>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/io/block_file.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ashlar::io {

/// What a block file says of the whole of its matrix: types by name, numbers of all rows.
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

}  // namespace ashlar::io
