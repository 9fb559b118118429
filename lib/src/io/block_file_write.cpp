#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/io/block_file.hpp>

#include "block_file_format.hpp"
#include "checksum.hpp"
#include "file_writer.hpp"
#include "replace_file.hpp"

namespace ashlar::io::impl {

namespace {

BlockFileHeader header_of(const HostMatrix& matrix, std::int64_t chunk_bytes) {
  BlockFileHeader header{};
  header.magic = block_file_magic;
  header.byte_order = block_file_byte_order;
  header.version = block_file_version;
  header.scalar = scalar_of_name(matrix.scalar);
  header.layout = layout_of_name(matrix.layout);
  header.col_idx_bytes = static_cast<std::uint32_t>(matrix.col_idx_bytes);
  header.row_ptr_bytes = sizeof(std::int64_t);
  header.block_rows = static_cast<std::uint32_t>(matrix.block_shape.rows);
  header.block_cols = static_cast<std::uint32_t>(matrix.block_shape.cols);
  header.num_block_rows = matrix.row_ptr.size() - 1;
  header.num_block_cols = static_cast<std::uint64_t>(matrix.num_block_cols);
  header.num_blocks = static_cast<std::uint64_t>(matrix.num_blocks);
  header.chunk_bytes = static_cast<std::uint64_t>(chunk_bytes);
  if (!place_sections(header)) {
    throw ShapeError(text("write_block_file: ", header.num_block_rows, " x ", header.num_block_cols, " blocks of ",
                          to_string(matrix.block_shape)),
                     "64 bits do not count the rows or columns", "check for an overflow of the ordinal type");
  }
  return header;
}

void add_checksums(const void* bytes, std::uint64_t size, std::uint64_t chunk_bytes,
                   std::vector<std::uint64_t>& checksums) {
  const auto* const from = static_cast<const char*>(bytes);
  for (std::uint64_t at = 0; at < size; at += chunk_bytes) {
    checksums.push_back(checksum(from + at, std::min(chunk_bytes, size - at)));
  }
}

}  // namespace

void write_block_file(const std::string& path, const HostMatrix& matrix, const BlockFileOptions& options) {
  const bool is_usual = options.chunk_bytes == 0;
  if (!is_usual && (options.chunk_bytes < smallest_chunk || options.chunk_bytes > largest_chunk ||
                    options.chunk_bytes % smallest_chunk != 0)) {
    throw ArgumentError(text("write_block_file: chunks of ", options.chunk_bytes, " bytes"),
                        text("they are a multiple of ", smallest_chunk, ", at most ", largest_chunk), "pass 0");
  }
  const std::int64_t chunk =
      is_usual ? usual_chunk(matrix.block_shape, scalar_of_name(matrix.scalar)) : options.chunk_bytes;
  BlockFileHeader header = header_of(matrix, chunk);
  std::array<const void*, num_sections> sections = {matrix.row_ptr.data(), matrix.col_idx, matrix.values};
  // The header comes first and holds the last of them, so all are computed before anything is written.
  std::vector<std::uint64_t> checksums;
  for (const auto s : {row_ptr_section, col_idx_section, values_section}) {
    add_checksums(sections[s], header.sections[s].bytes, header.chunk_bytes, checksums);
  }
  sections[checksum_section] = checksums.data();
  header.table_checksum = checksum(checksums.data(), header.sections[checksum_section].bytes);
  header.header_checksum = checksum_of(header);

  replace_file(path, [&](const std::string& whole) {
    require_little_endian(whole);
    FileWriter file(whole);
    file.write(&header, sizeof header);
    std::uint64_t end = sizeof header;
    const std::string zeros(block_file_alignment, '\0');
    for (int s = 0; s < num_sections; ++s) {
      const SectionPlace place = header.sections[s];
      file.write(zeros.data(), place.offset - end);
      file.write(sections[s], place.bytes);
      end = place.offset + place.bytes;
    }
    file.close();
  });
}

}  // namespace ashlar::io::impl
