#include "section_reader.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/checksum.hpp>
#include <cstring>
#include <vector>

namespace ashlar::io {

std::uint64_t SectionReader::piece_bytes() const {
  constexpr std::uint64_t usual = std::uint64_t(1) << 20;
  return std::max(chunk_bytes_, usual / chunk_bytes_ * chunk_bytes_);
}

void SectionReader::read(std::uint64_t begin, std::uint64_t end, std::byte* to) const {
  std::vector<std::byte> chunk;
  const std::uint64_t whole_end = end == place_.bytes ? end : end / chunk_bytes_ * chunk_bytes_;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t chunk_begin = at / chunk_bytes_ * chunk_bytes_;
    std::byte* const target = to + (at - begin);
    if (at == chunk_begin && at < whole_end) {
      const std::uint64_t piece_end = std::min(at + piece_bytes(), whole_end);
      file_.read(place_.offset + at, piece_end - at, target);
      verify(at, piece_end, target);
      at = piece_end;
    } else {
      const std::uint64_t chunk_end = std::min(chunk_begin + chunk_bytes_, place_.bytes);
      chunk.resize(chunk_end - chunk_begin);
      file_.read(place_.offset + chunk_begin, chunk.size(), chunk.data());
      verify(chunk_begin, chunk_end, chunk.data());
      const std::uint64_t part_end = std::min(end, chunk_end);
      std::memcpy(target, chunk.data() + (at - chunk_begin), part_end - at);
      at = part_end;
    }
  }
}

void SectionReader::verify(std::uint64_t begin, std::uint64_t end, const std::byte* bytes) const {
  for (std::uint64_t at = begin; at < end; at += chunk_bytes_) {
    const std::uint64_t chunk_end = std::min(at + chunk_bytes_, end);
    if (checksum(bytes + (at - begin), chunk_end - at) == checksums_[at / chunk_bytes_]) continue;
    throw FileError(file_.path(), 0,
                    text("its section ", name(section_), " is damaged in bytes ", place_.offset + at, " to ",
                         place_.offset + chunk_end - 1, " of the file"),
                    "their checksum is not the one that was written",
                    "copy it again from where it came from, or write it anew");
  }
}

}  // namespace ashlar::io
