// Data of one rank, distributed to all and gathered again.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/distributed/scatter.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "distributed/rank_parts.hpp"

namespace ashlar::testing {
namespace {

template <class View>
auto entries_of(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<typename View::non_const_value_type> entries(view.extent(0));
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = host(i);
  return entries;
}

template <class Matrix>
void expect_same(const Matrix& actual, const Matrix& expected) {
  EXPECT_EQ(actual.block_shape(), expected.block_shape());
  EXPECT_EQ(actual.num_block_rows(), expected.num_block_rows());
  EXPECT_EQ(actual.num_block_cols(), expected.num_block_cols());
  EXPECT_EQ(entries_of(actual.graph().row_ptr()), entries_of(expected.graph().row_ptr()));
  EXPECT_EQ(entries_of(actual.graph().col_idx()), entries_of(expected.graph().col_idx()));
  EXPECT_EQ(entries_of(actual.values()), entries_of(expected.values()));
}

TEST(Scatter, GivesEachRankItsRows) {
  const int n = 23;
  for (const int b : {1, 3}) {
    const auto whole = reference::random_bcsr<BcsrMatrix<double>>(n, n, b, {.max_blocks = 6});
    for (const std::vector<std::int64_t>& counts :
         {std::vector<std::int64_t>{23}, {10, 13}, {0, 20, 3}, {22, 0, 0, 1}}) {
      const RowPartition partition = sizes(counts);
      const int ranks = partition.num_parts();
      for (const int root : {0, ranks - 1}) {
        run_ranks(ranks, [&](Communicator& comm) {
          const Exec exec = instance_of_rank();
          using Matrix = BcsrMatrix<double>::in_space<Space>;
          const Matrix given = comm.rank() == root ? rows_of(whole, 0, n) : Matrix();
          const int rank = comm.rank();
          expect_same(scatter_rows(exec, comm, partition, given, root),
                      rows_of(whole, partition.begin(rank), partition.end(rank)));
        });
      }
    }
  }
}

TEST(Scatter, VectorsComeBackAsTheyWere) {
  const int b = 2;
  const RowPartition partition = sizes({4, 0, 3});
  const auto whole = random_vector<double>(7 * b, 5);
  for (const int root : {0, 2}) {
    run_ranks(3, [&](Communicator& comm) {
      const Exec exec = instance_of_rank();
      const auto given = comm.rank() == root ? whole : std::vector<double>{};
      const auto mine = scatter_vector(exec, comm, partition, b, given, root);
      EXPECT_EQ(entries_of(mine), part_of(whole, partition, comm.rank(), b));
      EXPECT_EQ(gather_vector(exec, comm, mine, root), given);
    });
  }
}

TEST(Scatter, RefusesWhatIsNotThePartitionsOnAllRanks) {
  const RowPartition partition = sizes({4, 5});
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto whole = rows_of(reference::random_bcsr<BcsrMatrix<double>>(8, 8, 1, {.max_blocks = 3}), 0, 8);
    const std::vector<double> vector(8);
    if (comm.rank() == 0) {
      EXPECT_THROW(scatter_rows(exec, comm, partition, whole), ShapeError);
      EXPECT_THROW(scatter_vector(exec, comm, partition, 1, vector), ShapeError);
    } else {
      EXPECT_THROW(scatter_rows(exec, comm, partition, whole), RankError);
      EXPECT_THROW(scatter_vector(exec, comm, partition, 1, vector), RankError);
    }
  });
}

TEST(DistributedOperator, KnowsHowLongItWaited) {
  const auto matrix = reference::random_bcsr<BcsrMatrix<double>>(20, 20, 2, {.max_blocks = 6});
  const RowPartition partition = sizes({10, 10});
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto a = operator_over_ranks(exec, comm, matrix, partition);
    const Kokkos::View<double*, Space> x("x", 20), y("y", 20);
    const double before = a.waited_seconds();
    comm.barrier();
    if (comm.rank() == 1) let_others_run(std::chrono::milliseconds(60));
    a.apply(exec, x, y);
    if (comm.rank() == 0) {
      EXPECT_GT(a.waited_seconds() - before, 0.03);
    }
  });
}

TEST(DistributedOperator, RepeatsItsOwnWorkWithWhatCameLast) {
  const int b = 2, n = 20;
  const auto matrix = reference::random_bcsr<BcsrMatrix<double>>(n, n, b, {.max_blocks = 6});
  const RowPartition partition = sizes({12, 8});
  const auto x = random_vector<double>(n * b, 7);
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
      const auto a = operator_over_ranks(exec, comm, matrix, partition, with(decomposition, HaloForm::packed));
      const auto mine = scatter_vector(exec, comm, partition, b, comm.rank() == 0 ? x : std::vector<double>{});
      const Kokkos::View<double*, Space> y("y", mine.extent(0)), again("again", mine.extent(0));
      a.apply(exec, mine, y);
      if (comm.rank() == 1) a.apply_without_exchange(exec, mine, again);  // nobody else need call it
      exec.fence("test");
      if (comm.rank() == 1) {
        EXPECT_EQ(entries_of(again), entries_of(y));
      }
    }
  });
}

}  // namespace
}  // namespace ashlar::testing
