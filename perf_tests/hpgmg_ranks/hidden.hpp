#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <nlohmann/json.hpp>
#include <support/types.hpp>

namespace ashlar::perf {

/// Of which level.
struct HiddenCase {
  multigrid::Discretisation discretisation;
  int box_dim, boxes_per_rank;
};

/// Measures what a residual hides of its exchange in the blocking mode, and adds a row to `rows`. Collective.
///
/// Returns  whether residuals are the same, cut and not.
bool measure_hidden(const Exec& exec, const Communicator& comm, const HiddenCase& one, int samples, double read_gb_s,
                    nlohmann::json& rows);

}  // namespace ashlar::perf
