#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/device/probes/device_properties.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ashlar {

/// Two ranks with one device of `Exec`, the lower first; none where each has one of its own, and where Exec is the
/// host's. Collective; the same answer on all ranks.
template <execution_space Exec>
std::optional<std::pair<int, int>> ranks_of_one_device(const Exec& exec, const Communicator& comm) {
  if (!is_gpu_v<Exec> || comm.is_alone()) return std::nullopt;
  const std::string mine = comm.together([&] { return text(comm.transport().host_name(), " ", bus_id(exec)); });
  const std::vector<std::string> all = comm.all_gather(mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for (std::size_t other = 0; other < rank; ++other) {
      if (all[rank] == all[other]) return std::pair(static_cast<int>(other), static_cast<int>(rank));
    }
  }
  return std::nullopt;
}

}  // namespace ashlar
