#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <string_view>

namespace ashlar {

/// Collective. All ranks have the same partition, with a part for each of them.
///
/// Throws   ArgumentError on all ranks, in the name of `who`.
void check_partition(const Communicator& comm, const RowPartition& partition, std::string_view who);

}  // namespace ashlar
