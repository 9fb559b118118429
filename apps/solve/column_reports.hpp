#pragma once

#include <ashlar/krylov/report.hpp>
#include <cstdint>

namespace ashlar::app {

/// The figures that a block solve shares with any solve.
SolveReport summary_of(const BlockSolveReport& block, std::int64_t bytes_of_step);

/// The report on one of several right-hand sides that are solved one after the other.
ColumnReport column_of(const SolveReport& report);

/// Adds the next of these solves to the sum of those before it: iterations and bytes are added, histories follow each
/// other, residuals are the largest ones, and the first solve that has not converged gives the status.
void add_next(SolveReport& sum, const SolveReport& next);

}  // namespace ashlar::app
