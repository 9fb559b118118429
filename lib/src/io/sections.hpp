#pragma once

#include <ashlar/io/block_file_writer.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "block_file_format.hpp"

namespace ashlar::io {

/// A regular file open for reading at any place, by any number of threads simultaneously.
///
/// Throws   FileError when there is no such file, it cannot be read, or is no regular file.
class RandomAccessFile {
 public:
  explicit RandomAccessFile(std::string path);
  ~RandomAccessFile();
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;

  const std::string& path() const { return path_; }
  /// As it was when the file was opened.
  std::uint64_t size() const { return size_; }
  /// Reads `bytes` bytes from `offset` on. Throws FileError where the file has fewer, or the disk fails.
  void read(std::uint64_t offset, std::size_t bytes, void* to) const;

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

/// Reads parts of one section of a block file, and sees that they are what was written.
///
/// Throws   FileError that names the bytes of a chunk whose checksum is another than the file's table says.
class SectionReader {
 public:
  SectionReader(const RandomAccessFile& file, BlockFileSection section, SectionPlace place, std::uint64_t chunk_bytes,
                std::span<const std::uint64_t> checksums)
      : file_(file), section_(section), place_(place), chunk_bytes_(chunk_bytes), checksums_(checksums) {}

  /// Bytes begin .. end-1 of the section. Whole chunks go straight to their place; the two at the ends, of which only
  /// a part is wanted, by way of a buffer. What `to` holds after an error is not to be used.
  void read(std::uint64_t begin, std::uint64_t end, std::byte* to) const;

  /// The longest piece of one read: whole chunks, some MiB.
  std::uint64_t piece_bytes() const;

 private:
  void verify(std::uint64_t begin, std::uint64_t end, const std::byte* bytes) const;

  const RandomAccessFile& file_;
  BlockFileSection section_;
  SectionPlace place_;
  std::uint64_t chunk_bytes_;
  std::span<const std::uint64_t> checksums_;
};

/// Writes one section of a block file from its beginning to its end, chunk by chunk, each with its checksum.
class SectionWriter {
 public:
  SectionWriter(PlacedWriter& file, SectionPlace place, std::uint64_t chunk_bytes)
      : file_(&file), place_(place), chunk_bytes_(chunk_bytes) {}

  /// The next bytes. Throws FileError.
  void append(const void* bytes, std::uint64_t size);

  /// Writes the rest, the last chunk.
  void finish();

  /// The checksums of all chunks, once the section is finished.
  const std::vector<std::uint64_t>& checksums() const { return checksums_; }

 private:
  void write_chunk(const std::byte* bytes, std::uint64_t size);

  PlacedWriter* file_;
  SectionPlace place_;
  std::uint64_t chunk_bytes_, written_ = 0;
  std::vector<std::byte> begun_;  // a chunk of which a part has come
  std::vector<std::uint64_t> checksums_;
};

}  // namespace ashlar::io
