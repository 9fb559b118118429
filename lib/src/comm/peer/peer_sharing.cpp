#include <ashlar/comm/peer/peer_sharing.hpp>

namespace ashlar {

std::string_view to_string(PeerSharing sharing) {
  switch (sharing) {
    case PeerSharing::automatic:
      return "automatic";
    case PeerSharing::handles:
      return "handles";
    case PeerSharing::descriptors:
      return "descriptors";
  }
  return "unknown";
}

}  // namespace ashlar
