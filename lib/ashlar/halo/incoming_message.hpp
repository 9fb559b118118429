#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar {

/// A message of a neighbour, which kernels read where it came: PeerReceives hands it to them.
class IncomingMessage {
 public:
  /// The i-th value of type T in the message, counted from 0: message.get<double>(i). T has a multiple of four bytes,
  /// and the size with which the sender wrote. Where the message comes as packets this waits for the value; in vain, it
  /// means nothing.
  template <class T>
  KOKKOS_FUNCTION T get(std::int64_t i) const {
    if (const T* const values = plain<T>()) return values[i];
    PacketData<T> data{};
    wait_for<T>(i, data);
    return Kokkos::bit_cast<T>(data);
  }

  /// Where the first value is, for what reads many, or values of other sizes; null where it comes as packets.
  template <class T>
  KOKKOS_FUNCTION const T* plain() const {
    return is_packets_ ? nullptr : reinterpret_cast<const T*>(place_);
  }

  /// Waits for the i-th value of a message that comes as packets. Returns false if the time limit has passed.
  template <class T>
  KOKKOS_FUNCTION bool wait_for(std::int64_t i, PacketData<T>& data) const {
    using Data = PacketData<T>;
    const std::uint64_t* const from = reinterpret_cast<const std::uint64_t*>(place_) + i * Data::num_words;
    for (int w = 0; w < Data::num_words; ++w) {
      if (!wait_until([&] { return receive_packet_word(from + w, number_, data.words[w]); }, limit_)) return false;
    }
    return true;
  }

  /// As PeerReceives makes it; `number`: of the exchange.
  KOKKOS_FUNCTION IncomingMessage(const std::byte* place, bool is_packets, std::uint32_t number, const TimeLimit& limit)
      : place_(place), is_packets_(is_packets), number_(number), limit_(limit) {}

 private:
  const std::byte* place_;
  bool is_packets_;
  std::uint32_t number_;
  TimeLimit limit_;
};

}  // namespace ashlar
