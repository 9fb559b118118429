#pragma once

#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>
#include <streaming/case.hpp>
#include <streaming/options.hpp>
#include <support/types.hpp>

namespace ashlar::perf {

/// Products with a matrix that stays in a block file, which is written first and removed in the end: from the disk and
/// from the system's cache of it, reading and copies hidden and not.
bool run_from_file(const Exec& exec, const StreamingCase& matrix, const StreamingPerfOptions& options,
                   nlohmann::json& results);

}  // namespace ashlar::perf
