#pragma once

#include <cstddef>
#include <cstdint>

namespace ashlar::io {

/// The checksum of block files and checkpoints: XXH3 of 64 bits, without a seed.
std::uint64_t checksum(const void* bytes, std::size_t size);

}  // namespace ashlar::io
