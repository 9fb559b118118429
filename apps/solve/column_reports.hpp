#pragma once

#include <ashlar/krylov/report.hpp>
#include <cmath>
#include <cstdint>

namespace ashlar::app {

/// The larger of two residuals; NaN is larger than anything.
inline double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

/// The figures that a block solve shares with any solve.
SolveReport summary_of(const BlockSolveReport& block, std::int64_t bytes_of_step);

/// The report on one of several right-hand sides that are solved one after the other.
ColumnReport column_of(const SolveReport& report);

/// Adds the next of these solves to the sum of those before it: iterations and bytes are added, histories follow each
/// other, residuals are the largest ones. An interrupted solve gives the status, else the first one that has not
/// converged.
void add_next(SolveReport& sum, const SolveReport& next);

}  // namespace ashlar::app
