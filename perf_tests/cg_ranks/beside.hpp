#pragma once

#include <ashlar/comm/communicator.hpp>
#include <cg_ranks/options.hpp>
#include <cg_ranks/system.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <support/types.hpp>

namespace ashlar::perf {

/// What others than the library take for an iteration on the same rows, without preconditioner: rows of results, which
/// rank 0 prints too; those of the other ranks mean nothing. Collective.
///
/// Each is checked before it is timed: by the residual of what it converges to, by plain loops, and by the number of
/// iterations, which is that of ours, where there is one, give or take one. It is timed as ours (measure()). One that
/// cannot be had is left out. One that is wrong has a row without a time that says so (`error`); one whose time is not
/// known, as it is lost in noise, or as it ends before the iterations that are timed, has a row whose times are null,
/// with the reason (`why_no_time`).
///
/// None on one rank, where perf_cg has them, and of rows that are streamed.
nlohmann::json measure_peers(const Exec& exec, const Communicator& comm, const RanksOptions& options,
                             const RankSystem<Exec>& system, double read_gb_s, std::optional<int> our_iterations);

}  // namespace ashlar::perf
