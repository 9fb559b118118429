#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/comm/peer/peer_flag.hpp>
#include <cstdint>

namespace ashlar {

/// Half a word of data and a count in the other half, written at once: who reads the right count has the data. Whoever
/// writes there again does so with another count.
KOKKOS_INLINE_FUNCTION void send_counted(std::uint64_t* to, std::uint32_t data, std::uint32_t count) {
  store_shared(to, (std::uint64_t(data) << 32) | count);
}

/// Whether the word with this count has come; else `data` means nothing.
KOKKOS_INLINE_FUNCTION bool take_counted(const std::uint64_t* from, std::uint32_t count, std::uint32_t& data) {
  const std::uint64_t word = load_shared(from);
  data = static_cast<std::uint32_t>(word >> 32);
  return static_cast<std::uint32_t>(word) == count;
}

/// A value as such halves of words.
template <class T>
struct PacketData {
  static_assert(sizeof(T) % 4 == 0, "ashlar: packets carry four bytes each: take values of a multiple of that");
  static constexpr int num_words = int(sizeof(T) / 4);
  std::uint32_t words[num_words];
};

/// A number that one rank writes to another's memory, and the count of such numbers so far: who reads the right count
/// in both words has the number, without fence or flag. Each word is written at once.
///
/// Source   as NCCL's LL protocol has it.
struct alignas(16) PeerPacket {
  std::uint64_t words[2] = {};
};

KOKKOS_INLINE_FUNCTION void send_packet(PeerPacket* to, double value, std::uint32_t count) {
  const auto bits = Kokkos::bit_cast<std::uint64_t>(value);
  for (int half = 0; half < 2; ++half) {
    send_counted(&to->words[half], static_cast<std::uint32_t>(bits >> (32 * half)), count);
  }
}

/// Whether the packet with this count has come.
KOKKOS_INLINE_FUNCTION bool take_packet(const PeerPacket* from, std::uint32_t count, double& value) {
  std::uint64_t bits = 0;
  for (int half = 0; half < 2; ++half) {
    std::uint32_t data = 0;
    if (!take_counted(&from->words[half], count, data)) return false;
    bits |= std::uint64_t(data) << (32 * half);
  }
  value = Kokkos::bit_cast<double>(bits);
  return true;
}

}  // namespace ashlar
