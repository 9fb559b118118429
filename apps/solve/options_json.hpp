#pragma once

#include <nlohmann/json.hpp>

#include "solve/options.hpp"

namespace ashlar::app {

/// All options with the values used, as they stand in reports.
nlohmann::ordered_json options_json(const SolveOptions& options);

}  // namespace ashlar::app
