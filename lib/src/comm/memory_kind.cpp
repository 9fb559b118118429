#include <ashlar/comm/memory_kind.hpp>

namespace ashlar {

std::string_view to_string(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::host:
      return "host";
    case MemoryKind::cuda:
      return "CUDA";
    case MemoryKind::hip:
      return "HIP";
    case MemoryKind::other:
      return "other";
  }
  return "unknown";
}

}  // namespace ashlar
