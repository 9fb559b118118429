#pragma once

#include <mutex>

namespace ashlar::impl {

/// Held while a thread begins a nonblocking collective, or asks whether requests have ended. Open MPI (6.0.0rc2) loses
/// collectives of two threads that do so at once, with communicators of their own: a program of MPI alone hung in 3 of
/// 20 runs, and in none of 40 with this. No such call waits, and so none keeps the others long.
inline std::mutex one_at_a_time;

}  // namespace ashlar::impl
