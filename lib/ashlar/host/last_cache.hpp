#pragma once

#include <cstdint>
#include <string>

namespace ashlar {

/// Bytes of the processors' last caches that `threads` threads have, each in a cache of its own as long as there are
/// some left; 0 where the system does not say (other than Linux).
///
/// Of each cache no more than 32 MiB count in a virtual machine: its system names the whole cache, which other machines
/// share. `root` stands before /proc and /sys: for tests.
std::int64_t last_cache_bytes(int threads, const std::string& root = "");

}  // namespace ashlar
