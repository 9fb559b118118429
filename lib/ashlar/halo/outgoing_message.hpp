#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ashlar {

/// A message to a neighbour, which kernels write straight to its memory: PeerSends hands it to them.
class OutgoingMessage {
 public:
  /// Writes the i-th value of type T in the message, counted from 0: message.put<double>(i, value). Each is written
  /// once, by one thread, and all of a message are. T has a multiple of four bytes, and its size is that for which the
  /// receiver reads the message.
  template <class T>
  KOKKOS_FUNCTION void put(std::int64_t i, const std::type_identity_t<T>& value) const {
    using Data = PacketData<T>;
    if (T* const values = plain<T>()) {
      values[i] = value;
      return;
    }
    const Data data = Kokkos::bit_cast<Data>(value);
    std::uint64_t* const to = reinterpret_cast<std::uint64_t*>(place_) + i * Data::num_words;
    for (int w = 0; w < Data::num_words; ++w) send_packet_word(to + w, data.words[w], number_);
  }

  /// Where the first value is to be, for what writes many, or values of other sizes; null where it goes as packets.
  template <class T>
  KOKKOS_FUNCTION T* plain() const {
    return is_packets_ ? nullptr : reinterpret_cast<T*>(place_);
  }

  /// As PeerSends makes it; `number`: of the exchange.
  KOKKOS_FUNCTION OutgoingMessage(std::byte* place, bool is_packets, std::uint32_t number)
      : place_(place), is_packets_(is_packets), number_(number) {}

 private:
  std::byte* place_;
  bool is_packets_;
  std::uint32_t number_;
};

}  // namespace ashlar
