#pragma once

#include <algorithm>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/read_ahead.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstdint>
#include <vector>

// The pieces in which threads read the subdivisions of a file.

namespace ashlar::impl {

/// Blocks that a thread reads from a file at a time.
struct FilePiece {
  std::int64_t first_block = 0, num_blocks = 0;

  template <class T, class I>
  void read(const io::BlockFile& file, T* values, I* col_idx_or_null) const {
    file.read_values(first_block, num_blocks, values);
    if (col_idx_or_null != nullptr) file.read_col_idx(first_block, num_blocks, col_idx_or_null);
  }
};

/// The bytes that threads have read of subdivision k, as spans of a timeline, if there is one.
template <class Timeline>
void add_reads(int k, std::int64_t bytes, const std::vector<io::ReadAhead::Piece>& pieces, Timeline* timeline) {
  if (timeline == nullptr || bytes == 0) return;
  for (const io::ReadAhead::Piece& piece : pieces) {
    timeline->add_read(k, std::uint64_t(bytes) / pieces.size(), piece.thread, piece.begin, piece.end);
  }
}

/// About 16 MiB: what a disk reads at its full rate, and a link carries in some ten starts of a copy. Whole chunks of
/// the file, if those hold whole blocks.
inline std::int64_t blocks_of_piece(const io::BlockFile& file, std::int64_t block_bytes) {
  constexpr std::int64_t usual_bytes = 16 << 20;
  const std::int64_t usual = std::max<std::int64_t>(usual_bytes / std::max<std::int64_t>(block_bytes, 1), 1);
  const std::int64_t together = file.blocks_together();
  return together <= usual ? usual / together * together : usual;
}

/// The blocks that are sent of a subdivision, cut at multiples of blocks_of_piece; one piece at least.
inline std::vector<FilePiece> pieces_of(const Subdivision& part, std::int64_t blocks_of_piece) {
  std::vector<FilePiece> result;
  const std::int64_t end = part.first_sent() + part.num_sent();
  for (std::int64_t at = part.first_sent(); at < end;) {
    const std::int64_t next = std::min((at / blocks_of_piece + 1) * blocks_of_piece, end);
    result.push_back({at, next - at});
    at = next;
  }
  if (result.empty()) result.push_back({part.first_sent(), 0});
  return result;
}

}  // namespace ashlar::impl
