#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/block_file_writer.hpp>

#include "block_file_format.hpp"
#include "sections.hpp"
#include <ashlar/host/replaced_file.hpp>

namespace ashlar::io::impl {

namespace {

BlockFileHeader header_of(const HostMatrix& matrix, const BlockFileOptions& options) {
  return new_block_file_header({.scalar = matrix.scalar,
                                .layout = matrix.layout,
                                .col_idx_bytes = matrix.col_idx_bytes,
                                .block_shape = matrix.block_shape,
                                .num_block_rows = static_cast<std::int64_t>(matrix.row_ptr.size()) - 1,
                                .num_block_cols = matrix.num_block_cols,
                                .num_blocks = matrix.num_blocks},
                               options);
}

const HostMatrix& checked(const HostMatrix& matrix) {
  const auto& rows = matrix.row_ptr;
  if (!rows.empty() && rows.front() == 0 && std::is_sorted(rows.begin(), rows.end())) return matrix;
  throw StructureError("block file: row pointers that do not rise from 0",
                       "they count the blocks before each block row", "pass one for each block row, and one more");
}

}  // namespace

struct BlockFileParts::State {
  std::string path;
  BlockFileHeader header;
  ReplacedFile replaced;
  PlacedWriter file;
  std::int64_t blocks_left;
  bool is_closed = false;
  std::array<SectionWriter, 3> sections;  // all but the checksums

  State(const std::string& path_, const HostMatrix& matrix, const BlockFileOptions& options)
      : path(path_),
        header(header_of(checked(matrix), options)),
        replaced(path_),
        file(replaced.new_name(), path_),
        blocks_left(matrix.num_blocks),
        sections{writer(row_ptr_section), writer(col_idx_section), writer(values_section)} {
    require_little_endian(path);
    sections[row_ptr_section].append(matrix.row_ptr.data(), matrix.row_ptr.size() * sizeof(std::int64_t));
  }

  void require_open() const {
    if (!is_closed) return;
    throw ArgumentError(text("block file ", path, " written to after close()"), "it is whole and has its name",
                        "make another writer for another file");
  }

  SectionWriter writer(BlockFileSection section) { return {file, header.sections[section], header.chunk_bytes}; }
};

BlockFileParts::BlockFileParts(const std::string& path, const HostMatrix& matrix, const BlockFileOptions& options)
    : state_(std::make_unique<State>(path, matrix, options)) {}
BlockFileParts::~BlockFileParts() = default;
BlockFileParts::BlockFileParts(BlockFileParts&&) noexcept = default;
BlockFileParts& BlockFileParts::operator=(BlockFileParts&&) noexcept = default;

std::int64_t BlockFileParts::num_blocks_left() const { return state_->blocks_left; }

void BlockFileParts::append(std::int64_t count, const void* col_idx, const void* values) {
  State& state = *state_;
  state.require_open();
  if (count < 0 || count > state.blocks_left) {
    throw ArgumentError(text("block file ", state.path, ": ", count, " blocks more"),
                        text("by its row pointers ", state.blocks_left, " are left"), "append those alone");
  }
  const BlockFileHeader& header = state.header;
  const auto blocks = static_cast<std::uint64_t>(count);
  const std::uint64_t bytes_of_block =
      header.num_blocks > 0 ? header.sections[values_section].bytes / header.num_blocks : 0;
  state.sections[col_idx_section].append(col_idx, blocks * header.col_idx_bytes);
  state.sections[values_section].append(values, blocks * bytes_of_block);
  state.blocks_left -= count;
}

void BlockFileParts::close() {
  State& state = *state_;
  state.require_open();
  if (state.blocks_left > 0) {
    throw ArgumentError(text("block file ", state.path, " closed before its end"),
                        text(state.blocks_left, " blocks are still to come"), "append() them first");
  }
  std::vector<std::uint64_t> checksums;
  for (SectionWriter& section : state.sections) {
    section.finish();
    checksums.insert(checksums.end(), section.checksums().begin(), section.checksums().end());
  }
  BlockFileHeader& header = state.header;
  const SectionPlace table = header.sections[checksum_section];
  state.file.write(table.offset, checksums.data(), table.bytes);
  header.table_checksum = checksum(checksums.data(), table.bytes);
  header.header_checksum = checksum_of(header);
  state.file.write(0, &header, sizeof header);
  state.file.close();
  state.replaced.take_name();
  state.is_closed = true;
}

void write_block_file(const std::string& path, const HostMatrix& matrix, const BlockFileOptions& options) {
  BlockFileParts parts(path, matrix, options);
  parts.append(matrix.num_blocks, matrix.col_idx, matrix.values);
  parts.close();
}

}  // namespace ashlar::io::impl
