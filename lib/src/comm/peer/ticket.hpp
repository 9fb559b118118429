#pragma once

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ashlar::impl {

/// What one process may be told from another by, also where each counts its processes from 1.
struct ProcessId {
  std::int64_t pid = getpid();
  std::int64_t started = first_use();

  bool operator==(const ProcessId&) const = default;

 private:
  static std::int64_t first_use() {
    static const std::int64_t ticks = std::chrono::steady_clock::now().time_since_epoch().count();
    return ticks;
  }
};

/// By what other ranks open a segment.
struct PeerTicket {
  ProcessId process;
  bool is_host = true;
  std::byte* data = nullptr;  ///< within the process that made it
  std::size_t bytes = 0;
  std::array<char, 64> name{};  ///< of shared memory, or the handle of a device's
};

}  // namespace ashlar::impl
