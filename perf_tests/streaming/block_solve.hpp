#pragma once

#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>
#include <streaming/case.hpp>
#include <streaming/options.hpp>
#include <support/types.hpp>

namespace ashlar::perf {

/// Block CG for num_vectors right-hand sides, with the matrix on the device, and streamed with a memory limit of
/// `fraction` of the bytes of its values, in which all of the solve's vectors count where they have room.
bool run_block_solve(const Exec& exec, const StreamingCase& matrix, double fraction, int num_vectors,
                     const StreamingPerfOptions& options, nlohmann::json& results);

}  // namespace ashlar::perf
