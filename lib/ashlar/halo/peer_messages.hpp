#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <concepts>
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

/// Memory with the calls of OutgoingMessage, or, of const values, of IncomingMessage: for what packs and unpacks
/// either.
template <class Value>
struct PlainBuffer {
  Value* values;

  template <std::same_as<Value> T>
  KOKKOS_INLINE_FUNCTION void put(std::int64_t i, const T& value) const {
    values[i] = value;
  }
  template <std::same_as<std::remove_const_t<Value>> T>
  KOKKOS_INLINE_FUNCTION T get(std::int64_t i) const {
    return values[i];
  }
};

}  // namespace ashlar
