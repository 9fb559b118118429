#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ashlar {

/// A message to a neighbour, which kernels write straight to its memory. PeerSends passes it to them.
class OutgoingMessage {
 public:
  /// Writes value i of type T, counted from 0: message.put<double>(i, value). One thread writes each value once, and
  /// all values of a message are written. sizeof(T) is a multiple of four, and the receiver reads the message with the
  /// same size.
  template <class T>
  KOKKOS_FUNCTION void put(std::int64_t i, std::type_identity_t<T> value) const {
    // (By value: compilers load the bits of a reference to memory of the device byte by byte.)
    using Data = PacketData<T>;
    if (T* const values = plain<T>()) {
      values[i] = value;
      return;
    }
    const Data data = Kokkos::bit_cast<Data>(value);
    std::uint64_t* const to = reinterpret_cast<std::uint64_t*>(place_) + i * Data::num_words;
    for (int w = 0; w < Data::num_words; ++w) send_packet_word(to + w, data.words[w], number_);
  }

  /// The address of the first value, to write many values or values of other sizes; null if the message goes as
  /// packets.
  template <class T>
  KOKKOS_FUNCTION T* plain() const {
    return is_packets_ ? nullptr : reinterpret_cast<T*>(place_);
  }

  /// Called by PeerSends. `number` is the number of the exchange.
  KOKKOS_FUNCTION OutgoingMessage(std::byte* place, bool is_packets, std::uint32_t number)
      : place_(place), is_packets_(is_packets), number_(number) {}

 private:
  std::byte* place_;
  bool is_packets_;
  std::uint32_t number_;
};

/// A message from a neighbour, which kernels read where it arrived. PeerReceives passes it to them.
class IncomingMessage {
 public:
  /// Value i of type T, counted from 0: message.get<double>(i). sizeof(T) is a multiple of four, and equal to the size
  /// with which the sender wrote. If the message comes as packets, this waits for the value; after the time limit the
  /// result is meaningless.
  template <class T>
  KOKKOS_FUNCTION T get(std::int64_t i) const {
    if (const T* const values = plain<T>()) return values[i];
    PacketData<T> data{};
    wait_for<T>(i, data);
    return Kokkos::bit_cast<T>(data);
  }

  /// The address of the first value, to read many values or values of other sizes; null if the message comes as
  /// packets.
  template <class T>
  KOKKOS_FUNCTION const T* plain() const {
    return is_packets_ ? nullptr : reinterpret_cast<const T*>(place_);
  }

  /// Waits for value i of a message that comes as packets. Returns false after the time limit.
  template <class T>
  KOKKOS_FUNCTION bool wait_for(std::int64_t i, PacketData<T>& data) const {
    using Data = PacketData<T>;
    const std::uint64_t* const from = reinterpret_cast<const std::uint64_t*>(place_) + i * Data::num_words;
    for (int w = 0; w < Data::num_words; ++w) {
      if (!wait_until([&] { return receive_packet_word(from + w, number_, data.words[w]); }, limit_)) return false;
    }
    return true;
  }

  /// Called by PeerReceives. `number` is the number of the exchange.
  KOKKOS_FUNCTION IncomingMessage(const std::byte* place, bool is_packets, std::uint32_t number, const TimeLimit& limit)
      : place_(place), is_packets_(is_packets), number_(number), limit_(limit) {}

 private:
  const std::byte* place_;
  bool is_packets_;
  std::uint32_t number_;
  TimeLimit limit_;
};

/// A plain array with the interface of OutgoingMessage, or of IncomingMessage for const values. One functor packs or
/// unpacks all of them.
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
