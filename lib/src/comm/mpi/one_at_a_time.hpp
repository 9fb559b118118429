#pragma once

#include <mutex>

namespace ashlar::impl {

/// Held while a thread begins messages, or asks whether they have ended: for programs that initialise MPI themselves,
/// and where nobody has Open MPI 6.0.0rc2 do without what loses messages of two threads (MpiSession). No such call
/// waits, and so none keeps the others long.
inline std::mutex one_at_a_time;

}  // namespace ashlar::impl
