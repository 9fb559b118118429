#pragma once

#include <ashlar/comm/communicator.hpp>
#include <cg_ranks/measure.hpp>
#include <cg_ranks/timelines.hpp>
#include <string>
#include <vector>

namespace ashlar::perf {

/// How devices and the host shared a system; the same on all ranks.
struct SharedTimes {
  std::string partition;  ///< "devices alone", "device and its host, planned", "nnz", "refined 1" and so on
  RanksTimes times;
  std::vector<std::int64_t> block_rows;  ///< of each rank that has part
};

/// Measures one system on the devices alone; where it is streamed to one device, also as planned there, without and
/// with a share that the host of the device multiplies in the same rank; over all ranks with as many blocks on each
/// rank (Fig. 7a of the multi-GPU paper); and `refinements` times with blocks by the rates that the ranks' busy times
/// before told (Fig. 7b). The last ranks compute on the host: `on_host` says whether this is one. Collective.
template <class Exec>
std::vector<SharedTimes> measure_shared(const Exec& exec, const Communicator& comm, bool on_host,
                                        const std::string& name, const RanksForm& form, int refinements, int samples,
                                        const std::vector<int>& iterations, Timelines* timelines, int trace_iterations);

}  // namespace ashlar::perf
