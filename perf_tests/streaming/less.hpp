#pragma once

#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>
#include <streaming/case.hpp>
#include <streaming/options.hpp>
#include <support/types.hpp>

namespace ashlar::perf {

/// Products, one after another, for which all of the matrix is sent, half of a symmetric one, or values in single
/// precision.
bool run_sending_less(const Exec& exec, const StreamingCase& matrix, const StreamingPerfOptions& options,
                      nlohmann::json& results);

}  // namespace ashlar::perf
