#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/flag.hpp>
#include <cstdint>

namespace ashlar {

/// Packets go between threads of one device, or between all devices and processes of a host.
enum class PacketScope { device, system };

/// A number with a sequence number. Each 64-bit word holds 32 bits of the number above the 32-bit sequence number and
/// is written atomically. A thread that reads the expected sequence number in both words has the number, without a
/// fence or a flag. Each use of the same memory needs another sequence number; zeroed memory has sequence number 0.
///
/// Source   the LL protocol of NCCL; PTX ISA 8.8, memory consistency model.
struct alignas(16) Packet {
  std::uint64_t words[2] = {};
};

// One word of a packet, for messages of values that have a multiple of four bytes.

KOKKOS_INLINE_FUNCTION std::uint64_t packet_word(std::uint32_t data, std::uint32_t number) {
  return std::uint64_t(data) << 32 | number;
}
KOKKOS_INLINE_FUNCTION void send_packet_word(std::uint64_t* to, std::uint32_t data, std::uint32_t number) {
  store_shared(to, packet_word(data, number));
}
/// Returns whether the word with this sequence number is there. If not, `data` is meaningless.
KOKKOS_INLINE_FUNCTION bool receive_packet_word(const std::uint64_t* from, std::uint32_t number, std::uint32_t& data) {
  const std::uint64_t word = load_shared(from);
  data = static_cast<std::uint32_t>(word >> 32);
  return static_cast<std::uint32_t>(word) == number;
}

/// A value as the data of such words.
template <class T>
struct PacketData {
  static_assert(sizeof(T) % 4 == 0, "ashlar: packets carry four bytes each: take values of a multiple of that");
  static constexpr int num_words = int(sizeof(T) / 4);
  std::uint32_t words[num_words];
};

// Whole packets. With the memory model of PTX a packet is one access of 16 bytes.

template <PacketScope scope>
KOKKOS_INLINE_FUNCTION void send_packet(Packet* to, double value, std::uint32_t number) {
  const auto bits = Kokkos::bit_cast<std::uint64_t>(value);
  const std::uint64_t low = packet_word(static_cast<std::uint32_t>(bits), number),
                      high = packet_word(static_cast<std::uint32_t>(bits >> 32), number);
#ifdef ASHLAR_HAS_PTX_MEMORY_MODEL
  if constexpr (scope == PacketScope::device) {
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high) : "memory");
  } else {
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high) : "memory");
  }
#else
  store_shared(&to->words[0], low);
  store_shared(&to->words[1], high);
#endif
}

/// Returns whether the packet with this sequence number is there. If not, `value` is meaningless.
template <PacketScope scope>
KOKKOS_INLINE_FUNCTION bool receive_packet(const Packet* from, std::uint32_t number, double& value) {
  std::uint64_t low = 0, high = 0;
#ifdef ASHLAR_HAS_PTX_MEMORY_MODEL
  if constexpr (scope == PacketScope::device) {
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(from) : "memory");
  } else {
    asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(from) : "memory");
  }
#else
  low = load_shared(&from->words[0]);
  high = load_shared(&from->words[1]);
#endif
  value = Kokkos::bit_cast<double>((high & 0xffffffff00000000U) | low >> 32);
  return static_cast<std::uint32_t>(low) == number && static_cast<std::uint32_t>(high) == number;
}

}  // namespace ashlar
