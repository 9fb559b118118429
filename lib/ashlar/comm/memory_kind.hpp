#pragma once

#include <string_view>

namespace ashlar {

/// Whose memory it is that a message goes from or to. Memory of the host that a device reaches, too, such as pinned
/// memory, is the host's; memory that moves between both is the device's.
enum class MemoryKind { host, cuda, hip, other };

/// "host", "CUDA", ...
std::string_view to_string(MemoryKind kind);

}  // namespace ashlar
