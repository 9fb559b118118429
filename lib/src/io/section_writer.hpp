#pragma once

#include <ashlar/io/placed_writer.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "block_file_format.hpp"

namespace ashlar::io {

/// Writes one section of a block file from its beginning to its end, chunk by chunk, each with its checksum.
class SectionWriter {
 public:
  SectionWriter(PlacedWriter& file, SectionPlace place, std::uint64_t chunk_bytes)
      : file_(&file), place_(place), chunk_bytes_(chunk_bytes) {}

  /// The next bytes. Throws FileError.
  void append(const void* bytes, std::uint64_t size);

  /// Writes what is left, the last chunk.
  void finish();

  /// Of all chunks, once the section is finished.
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
