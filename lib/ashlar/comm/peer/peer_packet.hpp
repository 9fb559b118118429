#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/comm/peer/peer_flag.hpp>
#include <cstdint>

namespace ashlar {

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
    store_shared(&to->words[half], ((bits >> (32 * half)) << 32) | count);
  }
}

/// Whether the packet with this count has come.
KOKKOS_INLINE_FUNCTION bool take_packet(const PeerPacket* from, std::uint32_t count, double& value) {
  std::uint64_t bits = 0;
  for (int half = 0; half < 2; ++half) {
    const std::uint64_t word = load_shared(&from->words[half]);
    if (static_cast<std::uint32_t>(word) != count) return false;
    bits |= (word >> 32) << (32 * half);
  }
  value = Kokkos::bit_cast<double>(bits);
  return true;
}

}  // namespace ashlar
