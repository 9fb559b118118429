#pragma once

#include <array>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/io/block_file_writer.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

/// The block file as docs/reference/file_formats.md defines it, byte by byte.
namespace ashlar::io {

inline constexpr std::array<unsigned char, 8> block_file_magic = {0x89, 'B', 'C', 'S', 'R', '\r', '\n', 0x1a};
inline constexpr std::uint32_t block_file_version = 1;
inline constexpr std::uint32_t block_file_byte_order = 0x01020304;
/// Sections begin at multiples of this.
inline constexpr std::uint64_t block_file_alignment = 4096;
/// Chunks begin at multiples of this, so that no value lies in two of them.
inline constexpr std::int64_t smallest_chunk = 64, largest_chunk = std::int64_t(1) << 30;

enum class BlockFileScalar : std::uint32_t { float32 = 1, float64, complex64, complex128, bfloat16 };
enum class BlockFileLayout : std::uint32_t { column_major = 1, row_major };

/// "complex<double>", as scalar_name() has it; "column_major", as the layouts have it.
std::string name(BlockFileScalar scalar);
std::int64_t bytes_of(BlockFileScalar scalar);
std::string name(BlockFileLayout layout);
/// Throws ArgumentError for a type without a code.
BlockFileScalar scalar_of_name(const std::string& name);
BlockFileLayout layout_of_name(const std::string& name);

enum BlockFileSection { row_ptr_section, col_idx_section, values_section, checksum_section, num_sections };
/// "row_ptr": for messages.
const char* name(BlockFileSection section);

/// Where a section lies in the file.
struct SectionPlace {
  std::uint64_t offset, bytes;
};

/// The first 4096 bytes of a file, field by field.
struct BlockFileHeader {
  std::array<unsigned char, 8> magic;
  std::uint32_t byte_order, version;
  BlockFileScalar scalar;
  BlockFileLayout layout;
  std::uint32_t col_idx_bytes, row_ptr_bytes;
  std::uint32_t block_rows, block_cols;
  std::uint64_t num_block_rows, num_block_cols, num_blocks;
  std::uint64_t chunk_bytes;
  std::array<SectionPlace, num_sections> sections;
  std::uint64_t table_checksum;
  std::array<unsigned char, 3944> zeros;
  std::uint64_t header_checksum;

  BlockShape block_shape() const { return {static_cast<int>(block_rows), static_cast<int>(block_cols)}; }
  std::uint64_t file_bytes() const;
};
static_assert(sizeof(BlockFileHeader) == 4096 && std::is_trivially_copyable_v<BlockFileHeader>);
static_assert(offsetof(BlockFileHeader, num_block_rows) == 40 && offsetof(BlockFileHeader, sections) == 72 &&
              offsetof(BlockFileHeader, zeros) == 144 && offsetof(BlockFileHeader, header_checksum) == 4088);

std::uint64_t num_chunks(std::uint64_t bytes, std::uint64_t chunk_bytes);

/// About a MiB: the values of a multiple of 16 blocks, unless those are far larger.
std::int64_t usual_chunk(const BlockShape& block_shape, BlockFileScalar scalar);

/// Puts the sections one after another, as long as shape, numbers and types of `header` make them. False where 63 bits
/// do not count the bytes, or the rows or columns of the matrix.
bool place_sections(BlockFileHeader& header);

std::uint64_t checksum_of(const BlockFileHeader& header);

/// The header at the beginning of a file of `file_bytes` bytes, of which `bytes` holds the first `count`.
///
/// Throws   FileError where it is none, is damaged, or the file does not have the bytes that it tells of.
BlockFileHeader parse_block_file_header(const std::string& path, const void* bytes, std::size_t count,
                                        std::uint64_t file_bytes);

/// Throws FileError on a machine of the other byte order, for which nothing here is written.
void require_little_endian(const std::string& path);

/// The header of a new file, without its checksums.
///
/// Throws   as BlockFilePlaces does.
BlockFileHeader new_block_file_header(const BlockFileContent& content, const BlockFileOptions& options);

}  // namespace ashlar::io
