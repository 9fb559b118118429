#include <ashlar/io/checksum.hpp>

// Compiled here and only here: no library of that name is linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ashlar::io {

std::uint64_t checksum(const void* bytes, std::size_t size) { return XXH3_64bits(bytes, size); }

}  // namespace ashlar::io
