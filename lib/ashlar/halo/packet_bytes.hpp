#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/count_text.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstdint>
#include <string_view>

namespace ashlar {

/// How long a message may be, in bytes, to go as packets, unless it is told otherwise; 0: none does. (Measured on two
/// H200s, one launch for an exchange, replayed: up to 4096 bytes packets take 5.1 to 6.2 us where flags take 7.2 to
/// 8.2. Between hosts flags are as fast, and faster from 1024 bytes on.)
inline constexpr std::int64_t default_packet_bytes = is_gpu_v<Kokkos::DefaultExecutionSpace> ? 4096 : 0;

/// Throws   ArgumentError where that is no length. `what` says whose messages they are.
inline void check_packet_bytes(std::string_view what, std::int64_t bytes) {
  if (bytes >= 0) return;
  throw ArgumentError(text(what, ": packets for messages of up to ", count_text(bytes, "byte")),
                      "there is no such length", "give 0 to have none");
}

}  // namespace ashlar
