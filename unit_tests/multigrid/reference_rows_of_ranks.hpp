#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <iterator>
#include <vector>

#include "rank_levels.hpp"
#include "reference_rows.hpp"

// The tables of the benchmark's reference implementation, over ranks.

namespace ashlar::testing {

/// On a GPU all, else those of 32^3 cells: more take minutes of a CPU, where what is executed is checked.
inline std::vector<ReferenceRow> rows_in_time() {
  std::vector<ReferenceRow> rows;
  std::copy_if(reference_rows().begin(), reference_rows().end(), std::back_inserter(rows),
               [](const ReferenceRow& row) { return is_gpu_v<Exec> || row.box_dim == 16; });
  return rows;
}

/// Collective.
inline void expect_row_over(const Communicator& comm, const ReferenceRow& row, ExchangeMode mode,
                            Overlap overlap = Overlap::off) {
  const Exec exec = rank_instance<Exec>();
  SCOPED_TRACE(text(row.name, ", ", to_string(mode), ", overlap ", to_string(overlap), ", ", comm.size(), " ranks"));
  MultigridOptions options = row.options;
  options.exchange.mode = mode;
  options.overlap = overlap;
  const auto multigrid = benchmark_of_ranks(exec, comm, 2, row.box_dim, options);
  EXPECT_EQ(multigrid->level(0).exchange_options.mode, mode);
  expect_row(row, exec, *multigrid);
}

}  // namespace ashlar::testing
