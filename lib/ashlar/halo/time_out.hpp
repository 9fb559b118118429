#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <string_view>

namespace ashlar {

/// How long a kernel waits for another rank before it gives up, unless it is told otherwise. A rank that is slow, as
/// with a page of its file system, is no dead one; one that is dead has ended the job in most cases.
inline constexpr double default_time_out_seconds = 30;

/// Throws   ArgumentError where that is no time to wait for. `what` says who is to wait.
inline void check_time_out(std::string_view what, double seconds) {
  if (seconds > 0) return;
  throw ArgumentError(text(what, ": kernels that wait ", seconds, " s for other ranks"), "they would give up at once",
                      "give a positive number of seconds");
}

}  // namespace ashlar
