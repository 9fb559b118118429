#pragma once

#include <ashlar/base/count_text.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstdint>
#include <string_view>

namespace ashlar {

/// How long a message may be, in bytes, to go as packets, unless it is told otherwise. 0: none does.
inline constexpr std::int64_t default_packet_bytes = 0;

/// Throws   ArgumentError where that is no length. `what` says whose messages they are.
inline void check_packet_bytes(std::string_view what, std::int64_t bytes) {
  if (bytes >= 0) return;
  throw ArgumentError(text(what, ": packets for messages of up to ", count_text(bytes, "byte")),
                      "there is no such length", "give 0 to have none");
}

}  // namespace ashlar
