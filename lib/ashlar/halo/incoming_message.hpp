#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/comm/peer/peer_packet.hpp>
#include <ashlar/device/patient_wait.hpp>
#include <ashlar/halo/impl/peer_lists.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar {

/// A message of a neighbour, which kernels read where it came: PeerReceives hands it to them.
class IncomingMessage {
 public:
  /// The i-th value of this type in the message, counted from 0. Where it comes as packets this waits for it; in vain,
  /// the value means nothing.
  template <class T>
  KOKKOS_FUNCTION T get(std::int64_t i) const {
    if (!is_packets_) return reinterpret_cast<const T*>(place_)[i];
    struct Words {
      std::uint32_t its[(sizeof(T) + 3) / 4];
    };
    if constexpr (sizeof(T) == sizeof(Words)) {
      Words words{};
      const std::uint64_t* const from =
          reinterpret_cast<const std::uint64_t*>(place_) + i * std::int64_t(sizeof(T) / 4);
      for (std::size_t w = 0; w < sizeof(T) / 4; ++w) {
        wait_patiently([&] { return take_counted(from + w, count_, words.its[w]); }, patience_.nanoseconds,
                       patience_.gave_up);
      }
      return Kokkos::bit_cast<T>(words);
    } else {
      return T();  // what has other sizes does not come as packets
    }
  }

  /// As PeerReceives makes it.
  KOKKOS_FUNCTION IncomingMessage(const std::byte* place, bool is_packets, std::uint32_t count,
                                  const impl::PeerPatience& patience)
      : place_(place), is_packets_(is_packets), count_(count), patience_(patience) {}

 private:
  const std::byte* place_;
  bool is_packets_;
  std::uint32_t count_;
  impl::PeerPatience patience_;
};

}  // namespace ashlar
