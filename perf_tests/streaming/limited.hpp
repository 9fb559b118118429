#pragma once

#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>
#include <streaming/case.hpp>
#include <streaming/options.hpp>
#include <string>
#include <support/types.hpp>

namespace ashlar::perf {

/// Products, one after another, with a matrix that the memory limit has no room for: as planned, as tuned, and for
/// shares of the host and numbers of subdivisions all around. Without a share of the host is what fits staying on the
/// device and the rest being sent. All take turns; what is planned is planned anew for each.
///
/// `fraction` is the limit, of the bytes of the values; vectors count.
bool run_limited(const Exec& exec, const StreamingCase& matrix, double fraction, int num_vectors,
                 const StreamingPerfOptions& options, nlohmann::json& results);

}  // namespace ashlar::perf
