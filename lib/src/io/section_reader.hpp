#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "block_file_format.hpp"
#include "random_access_file.hpp"

namespace ashlar::io {

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

  /// The longest piece to be read at once: whole chunks, some MiB.
  std::uint64_t piece_bytes() const;

 private:
  void verify(std::uint64_t begin, std::uint64_t end, const std::byte* bytes) const;

  const RandomAccessFile& file_;
  BlockFileSection section_;
  SectionPlace place_;
  std::uint64_t chunk_bytes_;
  std::span<const std::uint64_t> checksums_;
};

}  // namespace ashlar::io
