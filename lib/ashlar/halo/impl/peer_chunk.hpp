#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ashlar::impl {

/// A part of a message, which a team writes or reads: bytes, entries or words [begin, begin + count) of it.
struct PeerChunk {
  int message = 0, num_chunks = 0;  ///< of that message
  std::int64_t begin = 0, count = 0;
  std::int64_t source = 0;  ///< where they are before they go
};

/// How many bytes a team takes of a message: few teams where it is short, and enough for each where it is long. A
/// multiple of all words.
inline std::int64_t chunk_of(std::int64_t message_bytes) {
  constexpr std::int64_t least = 2048, most = 16384;
  return std::clamp(message_bytes / 64 / least * least, least, most);
}

/// Those of a message of so many bytes, entries or words: one at least.
inline void add_chunks(std::vector<PeerChunk>& chunks, int message, std::int64_t count, std::int64_t of_chunk) {
  const std::int64_t num_chunks = std::max<std::int64_t>(1, (count + of_chunk - 1) / of_chunk);
  for (std::int64_t k = 0; k < num_chunks; ++k) {
    chunks.push_back({message, static_cast<int>(num_chunks), k * of_chunk, std::min(of_chunk, count - k * of_chunk)});
  }
}

}  // namespace ashlar::impl
