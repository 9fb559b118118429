#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <nlohmann/json.hpp>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// Of which level.
struct HiddenCase {
  multigrid::Discretisation discretisation;
  int box_dim, boxes_per_rank;
};

/// Measures what a residual hides of its exchange: adds a row for each mode to `rows`; those that do not work for these
/// ranks go to `left_out`, with the reason. Collective.
///
/// Returns  whether residuals are the same, cut and not.
bool measure_hidden(const Exec& exec, const Communicator& comm, const HiddenCase& one,
                    const std::vector<ExchangeMode>& modes, int samples, double read_gb_s, nlohmann::json& rows,
                    nlohmann::json& left_out);

}  // namespace ashlar::perf
