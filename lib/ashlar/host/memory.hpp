#pragma once

#include <ashlar/base/error.hpp>
#include <cstdint>
#include <string>

namespace ashlar {

/// What a memory holds, in bytes, and how much of it an allocation could still get.
struct MemoryAmount {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};

/// 13958643712 as "13958643712 bytes = 13 GiB": for messages.
std::string bytes_text(std::uint64_t bytes);

/// Throws MemoryError where `needed` > `available`: "<what> needs N bytes (M bytes are available); ...".
void require_memory(std::uint64_t needed, std::uint64_t available, const std::string& what);

/// The host's memory, after the limits of the control groups (containers, batch jobs) that this process is in.
///
/// `root` stands before /proc and /sys: for tests. What cannot be read limits nothing.
MemoryAmount host_memory(const std::string& root = "");

}  // namespace ashlar
