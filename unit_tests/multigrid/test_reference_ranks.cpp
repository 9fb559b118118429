// The reference's tables on several ranks, in each mode of exchange. (Ranks with a GPU each: mpi/multigrid, mpi/nccl.)
#include <gmock/gmock.h>

#include <string>

#include "reference_rows_of_ranks.hpp"
#include "support/host_streams.hpp"

namespace ashlar::testing {
namespace {

class ReferenceTableOfRanks : public ::testing::TestWithParam<ReferenceRow> {
 protected:
  /// On 2 and 8 ranks.
  static void expect_row_in(ExchangeMode mode) {
    for (const int ranks : {2, 8}) {
      run_ranks(ranks, [&](Communicator& comm) {
        const Communicator group = mode == ExchangeMode::stream ? with_host_streams(comm) : comm.duplicate();
        expect_row_over(group, GetParam(), mode);
      });
    }
  }
};

TEST_P(ReferenceTableOfRanks, HasTheSameNumbersInBlockingMode) { expect_row_in(ExchangeMode::blocking); }

TEST_P(ReferenceTableOfRanks, HasTheSameNumbersInStreamMode) {
  if (is_gpu_v<Exec>) GTEST_SKIP() << "ranks that share a device have no streams";
  expect_row_in(ExchangeMode::stream);
}

TEST_P(ReferenceTableOfRanks, HasTheSameNumbersInKernelMode) {
  if (const char* why = why_no_kernels_of_ranks()) GTEST_SKIP() << why;
  expect_row_in(ExchangeMode::kernel);
}

INSTANTIATE_TEST_SUITE_P(Rows, ReferenceTableOfRanks, ::testing::ValuesIn(rows_in_time()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ashlar::testing
