#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ashlar {

// How long a message may be, in bytes, to go as packets, unless it is told otherwise; 0: none does. Between hosts flags
// are as fast, and faster from 1024 bytes on.

/// Where kernels of the caller's unpack, and their threads wait for one value after another. (Measured with multigrid:
/// on four H200s a cycle of 8 boxes of 16^3 cells takes 1.00 ms for 1.09, of 32^3 1.73 for 1.85; on two of 4 boxes of
/// 160^3 as long, 9.4 ms, and 1.2 percent longer with packets up to 1 MiB.)
template <execution_space Exec>
inline constexpr std::int64_t default_packet_bytes = is_gpu_v<Exec> ? 4096 : 0;

/// Of HaloExchange, where as many teams wait as the message fills. (Measured between H200s, an exchange as one launch,
/// replayed: up to 64 KiB packets take 4.5 to 7.5 us where flags take 6.7 to 8.9. 256 KiB take 8.1 for 9.5 to one
/// neighbour and as long to each of two, 1 MiB 13.4 for 12.5.)
template <execution_space Exec>
inline constexpr std::int64_t default_halo_packet_bytes = is_gpu_v<Exec> ? 131072 : 0;

/// Throws   ArgumentError where that is no length. `what` says whose messages they are.
inline void check_packet_bytes(std::string_view what, std::optional<std::int64_t> bytes) {
  if (!bytes || *bytes >= 0) return;
  throw ArgumentError(text(what, ": packets for messages of up to ", count_text(*bytes, "byte")),
                      "there is no such length", "give 0 to have none");
}

}  // namespace ashlar
