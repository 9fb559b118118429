#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/comm/peer/peer_packet.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar {

/// A message to a neighbour, which kernels write straight to its memory: PeerSends hands it to them.
class OutgoingMessage {
 public:
  /// The i-th value of this type in the message, counted from 0. Each is written once, by one thread, and all of a
  /// message are.
  template <class T>
  KOKKOS_FUNCTION void put(std::int64_t i, const T& value) const {
    if (!is_packets_) {
      reinterpret_cast<T*>(place_)[i] = value;
      return;
    }
    if constexpr (sizeof(T) % 4 == 0) {  // what has other sizes does not go as packets
      struct Words {
        std::uint32_t its[sizeof(T) / 4];
      };
      const Words words = Kokkos::bit_cast<Words>(value);
      std::uint64_t* const to = reinterpret_cast<std::uint64_t*>(place_) + i * std::int64_t(sizeof(T) / 4);
      for (std::size_t w = 0; w < sizeof(T) / 4; ++w) send_counted(to + w, words.its[w], count_);
    }
  }

  /// Where the first value of this type is to be, for what writes many at a time; null where it goes as packets.
  template <class T>
  KOKKOS_FUNCTION T* plain() const {
    return is_packets_ ? nullptr : reinterpret_cast<T*>(place_);
  }

  /// As PeerSends makes it.
  KOKKOS_FUNCTION OutgoingMessage(std::byte* place, bool is_packets, std::uint32_t count)
      : place_(place), is_packets_(is_packets), count_(count) {}

 private:
  std::byte* place_;
  bool is_packets_;
  std::uint32_t count_;
};

}  // namespace ashlar
