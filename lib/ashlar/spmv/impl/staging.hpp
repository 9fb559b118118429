#pragma once

#include <algorithm>
#include <ashlar/spmv/impl/staged_tuning.hpp>

namespace ashlar::impl {

/// How many blocks groups of lanes hold in scratch memory.
struct Staging {
  int team_bytes = 0;   ///< that the groups of a team may take together
  int block_bytes = 1;  ///< of a block's values and its column
  int usual_row = 1;    ///< blocks of a block row of usual length

  /// Those that each of `groups` of a team holds at a time: a block row of usual length in as few pieces as there is
  /// room for, all of about the same size. One at least.
  int blocks(int groups) const {
    const int room = std::max(1, (team_bytes / groups - scratch_of_group) / block_bytes);
    const int pieces = std::max(1, (usual_row + room - 1) / room);
    return std::max(1, (usual_row + pieces - 1) / pieces);
  }
};

}  // namespace ashlar::impl
