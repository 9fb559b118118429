#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/block_file_writer.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "block_file_format.hpp"

namespace ashlar::io {

BlockFileHeader new_block_file_header(const BlockFileContent& content, const BlockFileOptions& options) {
  const bool is_usual = options.chunk_bytes == 0;
  if (!is_usual && (options.chunk_bytes < smallest_chunk || options.chunk_bytes > largest_chunk ||
                    options.chunk_bytes % smallest_chunk != 0)) {
    throw ArgumentError(text("block file: chunks of ", options.chunk_bytes, " bytes"),
                        text("they are a multiple of ", smallest_chunk, ", at most ", largest_chunk), "pass 0");
  }
  BlockFileHeader header{};
  header.magic = block_file_magic;
  header.byte_order = block_file_byte_order;
  header.version = block_file_version;
  header.scalar = scalar_of_name(content.scalar);
  header.layout = layout_of_name(content.layout);
  header.col_idx_bytes = static_cast<std::uint32_t>(content.col_idx_bytes);
  header.row_ptr_bytes = sizeof(std::int64_t);
  header.block_rows = static_cast<std::uint32_t>(content.block_shape.rows);
  header.block_cols = static_cast<std::uint32_t>(content.block_shape.cols);
  header.num_block_rows = static_cast<std::uint64_t>(content.num_block_rows);
  header.num_block_cols = static_cast<std::uint64_t>(content.num_block_cols);
  header.num_blocks = static_cast<std::uint64_t>(content.num_blocks);
  header.chunk_bytes =
      static_cast<std::uint64_t>(is_usual ? usual_chunk(content.block_shape, header.scalar) : options.chunk_bytes);
  if (!place_sections(header)) {
    throw ShapeError(text("block file: ", header.num_block_rows, " x ", header.num_block_cols, " blocks of ",
                          to_string(content.block_shape)),
                     "64 bits do not count the rows or columns", "check for an overflow of the ordinal type");
  }
  return header;
}

struct BlockFilePlaces::State {
  BlockFileHeader header;

  Section section(BlockFileSection name) const { return {header.sections[name].offset, header.sections[name].bytes}; }
};

BlockFilePlaces::BlockFilePlaces(const BlockFileContent& content, const BlockFileOptions& options)
    : state_(std::make_unique<const State>(State{new_block_file_header(content, options)})) {
  require_little_endian("a block file");
}
BlockFilePlaces::~BlockFilePlaces() = default;
BlockFilePlaces::BlockFilePlaces(BlockFilePlaces&&) noexcept = default;
BlockFilePlaces& BlockFilePlaces::operator=(BlockFilePlaces&&) noexcept = default;

BlockFilePlaces::Section BlockFilePlaces::row_ptr() const { return state_->section(row_ptr_section); }
BlockFilePlaces::Section BlockFilePlaces::col_idx() const { return state_->section(col_idx_section); }
BlockFilePlaces::Section BlockFilePlaces::values() const { return state_->section(values_section); }
BlockFilePlaces::Section BlockFilePlaces::checksums() const { return state_->section(checksum_section); }
std::uint64_t BlockFilePlaces::chunk_bytes() const { return state_->header.chunk_bytes; }

std::array<std::byte, BlockFilePlaces::header_bytes> BlockFilePlaces::header(
    std::span<const std::uint64_t> checksums) const {
  static_assert(sizeof(BlockFileHeader) == header_bytes);
  BlockFileHeader header = state_->header;
  const std::uint64_t expected = header.sections[checksum_section].bytes;
  if (checksums.size_bytes() != expected) {
    throw ShapeError(text("block file: ", checksums.size(), " checksums"),
                     text("it has ", expected / sizeof(std::uint64_t), " chunks"), "pass one for each");
  }
  header.table_checksum = checksum(checksums.data(), checksums.size_bytes());
  header.header_checksum = checksum_of(header);
  std::array<std::byte, header_bytes> bytes;
  std::memcpy(bytes.data(), &header, header_bytes);
  return bytes;
}

std::vector<std::uint64_t> block_file_checksums(std::span<const std::byte> bytes, std::uint64_t chunk_bytes) {
  std::vector<std::uint64_t> checksums;
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(chunk_bytes, bytes.size());
    checksums.push_back(checksum(bytes.data(), size));
    bytes = bytes.subspan(size);
  }
  return checksums;
}

PlacedWriter::PlacedWriter(std::string path, std::string shown, File file)
    : path_(std::move(path)), shown_(std::move(shown)), is_mine_(file == File::made) {
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw FileError(shown_, 0, "cannot be written", "it is no regular file, and is written at places in any order",
                    "name a file on a disk");
  }
  file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | (is_mine_ ? O_CREAT | O_TRUNC : 0), 0666);
  if (file_ < 0) fail(errno);
}

PlacedWriter::~PlacedWriter() { discard(); }

void PlacedWriter::write(std::uint64_t offset, const void* bytes, std::size_t size) {
  // The system writes no more than 2 GiB in one call.
  constexpr std::size_t at_once = std::size_t(1) << 30;
  const auto* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::pwrite(file_, next, std::min(size, at_once), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail(count < 0 ? errno : ENOSPC);
    next += count;
    offset += static_cast<std::uint64_t>(count);
    size -= static_cast<std::size_t>(count);
  }
}

void PlacedWriter::close() {
  // Some file systems (NFS, quotas) report only here that the data did not fit.
  if (::close(std::exchange(file_, -1)) == 0) return;
  const int error_number = errno;
  remove();
  fail(error_number);
}

void PlacedWriter::discard() noexcept {
  if (file_ < 0) return;
  ::close(std::exchange(file_, -1));
  remove();
}

void PlacedWriter::remove() noexcept {
  if (is_mine_) ::unlink(path_.c_str());
}

void PlacedWriter::fail(int error_number) {
  discard();
  throw FileError(shown_, 0, "cannot be written", std::generic_category().message(error_number),
                  error_number == ENOSPC ? "free some space, or name a file on another disk" : "name another file");
}

}  // namespace ashlar::io
