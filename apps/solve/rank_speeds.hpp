#pragma once

#include <ashlar/distributed/rank_speed.hpp>
#include <vector>

#include "solve/options.hpp"
#include "solve/rank_roles.hpp"
#include "solve/row_source.hpp"
#include "world.hpp"

namespace ashlar::app {

/// Whether one rank alone computes on a device, and would stream the whole system to it. By itself such a rank lets its
/// host multiply a share (plan_streaming()), with the same processors and no messages. Collective.
template <class Exec>
bool one_device_streams(const World& world, const SolveOptions& options, const RankRoles& roles,
                        const RowSource<Exec>& source);

/// How many blocks a second each rank multiplies, and what messages of halo and sums cost it in an iteration besides,
/// by rank: measured on rows that are made for that, by all ranks at once, as some share a memory. Each has as many
/// rows, and streams those for which its device has no room. Where ranks on the host stand beside devices that would
/// stream without them, devices are measured on nine tenths of the rows. Collective.
///
/// Throws   ArgumentError, on all ranks together, where there are no blocks; MemoryError where a rank has no room for
///          those rows; what make_rank_system() does.
template <class Exec>
std::vector<RankSpeed> measure_speeds(const Exec& exec, const World& world, const SolveOptions& options,
                                      const RankRoles& roles, const RowSource<Exec>& source);

}  // namespace ashlar::app
