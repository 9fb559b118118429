#include "section_writer.hpp"
#include <ashlar/io/checksum.hpp>

#include <algorithm>

namespace ashlar::io {

void SectionWriter::write_chunk(const std::byte* bytes, std::uint64_t size) {
  checksums_.push_back(checksum(bytes, size));
  file_->write(place_.offset + written_, bytes, size);
  written_ += size;
}

void SectionWriter::append(const void* bytes, std::uint64_t size) {
  const auto* next = static_cast<const std::byte*>(bytes);
  while (size > 0) {
    // Whole chunks go as they are.
    if (begun_.empty() && size >= chunk_bytes_) {
      write_chunk(next, chunk_bytes_);
      next += chunk_bytes_;
      size -= chunk_bytes_;
      continue;
    }
    const std::uint64_t count = std::min(size, chunk_bytes_ - begun_.size());
    begun_.insert(begun_.end(), next, next + count);
    next += count;
    size -= count;
    if (begun_.size() < chunk_bytes_) continue;
    write_chunk(begun_.data(), chunk_bytes_);
    begun_.clear();
  }
}

void SectionWriter::finish() {
  if (!begun_.empty()) write_chunk(begun_.data(), begun_.size());
  begun_.clear();
}

}  // namespace ashlar::io
