#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// What is solved.
struct HpgmgRanksCase {
  multigrid::Discretisation discretisation;
  int box_dim, boxes_per_rank, host_threshold;
  std::int64_t min_cells_per_rank;
  std::optional<std::int64_t> packet_bytes;
};

/// Adds a row for each mode to `rows`; those that do not work for these ranks go to `left_out`, with the reason.
/// Collective.
///
/// Returns  whether all were right.
bool measure_modes(const Exec& exec, const Communicator& comm, const HpgmgRanksCase& one,
                   const std::vector<ExchangeMode>& modes, int samples, double read_gb_s, nlohmann::json& rows,
                   nlohmann::json& left_out);

}  // namespace ashlar::perf
