// The reference's tables on several ranks, in each mode of exchange.
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "rank_levels.hpp"
#include "reference_rows.hpp"
#include "support/host_streams.hpp"

namespace ashlar::testing {
namespace {

/// On a GPU all, else those of 32^3 cells: more take minutes of a CPU, where what is executed is checked.
std::vector<ReferenceRow> rows_in_time() {
  std::vector<ReferenceRow> rows;
  std::copy_if(reference_rows().begin(), reference_rows().end(), std::back_inserter(rows),
               [](const ReferenceRow& row) { return is_gpu_v<Exec> || row.box_dim == 16; });
  return rows;
}

class ReferenceTableOfRanks : public ::testing::TestWithParam<ReferenceRow> {
 protected:
  /// On 2 and 8 ranks.
  static void expect_row_in(ExchangeMode mode, Overlap overlap) {
    const ReferenceRow& row = GetParam();
    for (const int ranks : {2, 8}) {
      run_ranks(ranks, [&](Communicator& comm) {
        SCOPED_TRACE(std::string(to_string(mode)) + ", overlap " + std::string(to_string(overlap)) + ", " +
                     std::to_string(ranks) + " ranks");
        const Exec exec = rank_instance<Exec>();
        MultigridOptions options = row.options;
        options.exchange.mode = mode;
        options.overlap = overlap;
        const Communicator group = mode == ExchangeMode::stream ? with_host_streams(comm) : comm.duplicate();
        const auto multigrid = benchmark_of_ranks(exec, group, 2, row.box_dim, options);
        EXPECT_EQ(multigrid->level(0).exchange_options.mode, mode);
        expect_row(row, exec, *multigrid);
      });
    }
  }
};

TEST_P(ReferenceTableOfRanks, HasTheSameNumbersInBlockingMode) { expect_row_in(ExchangeMode::blocking, Overlap::off); }

TEST_P(ReferenceTableOfRanks, HasTheSameNumbersInStreamMode) {
  if (is_gpu_v<Exec>) GTEST_SKIP() << "ranks that share a device have no streams";
  expect_row_in(ExchangeMode::stream, Overlap::on);
}

TEST_P(ReferenceTableOfRanks, HasTheSameNumbersInKernelMode) {
  if (const char* why = why_no_kernels_of_ranks()) GTEST_SKIP() << why;
  expect_row_in(ExchangeMode::kernel, Overlap::off);
  expect_row_in(ExchangeMode::kernel, Overlap::fused);
}

INSTANTIATE_TEST_SUITE_P(Rows, ReferenceTableOfRanks, ::testing::ValuesIn(rows_in_time()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ashlar::testing
