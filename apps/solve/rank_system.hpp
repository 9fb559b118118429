#pragma once

#include <ashlar/halo/row_partition.hpp>
#include <vector>

#include "solve/options.hpp"
#include "solve/row_source.hpp"
#include "solve/system.hpp"
#include "world.hpp"

namespace ashlar::app {

/// Throws MemoryError, on all ranks together, where a rank has no room for its share: by itself, and with the others of
/// its host beside it. Collective; each rank has a place of its own.
template <class Exec>
void require_memory_for_share(const World& world, const SolveOptions& options, const std::string& what,
                              const MatrixShape& share, MatrixPlace place);

/// The partition that was asked for. `shares` has what each rank is to have of the blocks, for the partitions that are
/// measured. Collective.
///
/// Throws   ArgumentError where there are more ranks than block rows, FileError: on all ranks together.
template <class Exec>
RowPartition partition_of(const World& world, const SolveOptions& options, const RowSource<Exec>& source,
                          const std::vector<double>& shares);

/// The system over several ranks, each of which has its rows of the partition; waits until it is there. Collective.
///
/// Throws   as make_system(), on all ranks together.
template <class Exec>
LinearSystem<Exec> make_rank_system(const Exec& exec, const World& world, const SolveOptions& options,
                                    const RowSource<Exec>& source, const RowPartition& partition);

}  // namespace ashlar::app
