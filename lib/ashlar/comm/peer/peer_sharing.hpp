#pragma once

#include <string_view>

namespace ashlar {

/// How processes of one host come to share memory of their devices. On hosts there is one way, by name.
enum class PeerSharing {
  automatic,    ///< of the following the first that works, for all ranks, as known data tell that one writes and others
                ///< read
  handles,      ///< of the runtime's (cudaIpc, hipIpc)
  descriptors,  ///< of files, passed over sockets (DescribedMemory): where handles do not work; CUDA alone
};

/// "automatic", "handles", "descriptors"
std::string_view to_string(PeerSharing sharing);

}  // namespace ashlar
