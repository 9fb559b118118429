// Set-up of a distributed operator: its inputs, its description, and its errors, on all ranks by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "distributed/product_cases.hpp"

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Kokkos::View<int*, Space> in_space(const std::vector<int>& items) {
  const Kokkos::View<int*, Space> there("test::items", items.size());
  Kokkos::deep_copy(there, Kokkos::View<const int*, Kokkos::HostSpace>(items.data(), items.size()));
  return there;
}

/// A tridiagonal pattern.
Host chain(int n, int b) {
  return of_columns(n, b, [n](int i) {
    std::vector<int> columns;
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) columns.push_back(j);
    return columns;
  });
}

// Rows that the matrix does not have before the first, between two, and behind the last.
TEST(DistributedSetUp, TellsWhereAllRowsBeginOfAMatrixOfSome) {
  const Exec exec = instance_of_rank();
  const auto begins = [&](std::int64_t num_rows, const std::vector<int>& rows, const std::vector<int>& row_ptr) {
    const auto found = impl::row_begins_of_all(exec, num_rows, in_space(rows), in_space(row_ptr));
    const auto here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
    return std::vector<int>(here.data(), here.data() + here.extent(0));
  };
  EXPECT_EQ(begins(7, {1, 2, 5}, {0, 3, 4, 6}), (std::vector{0, 0, 3, 4, 4, 4, 6, 6}));
  EXPECT_EQ(begins(2, {0, 1}, {0, 1, 5}), (std::vector{0, 1, 5}));
  EXPECT_EQ(begins(3, {}, {0}), (std::vector{0, 0, 0, 0}));
}

TEST(DistributedSetUp, KeepsOwnColumnsAsASquareMatrix) {
  const auto whole =
      reference::random_bcsr<BcsrMatrix<double>>(20, 20, 2, {.min_blocks = 2, .max_blocks = 9, .full_row = 3});
  const RowPartition partition = sizes({7, 0, 13});
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto a = operator_over_ranks(exec, comm, whole, partition);
    const auto own = copy_to<Kokkos::HostSpace>(exec, a.own_matrix());
    exec.fence();
    const std::int64_t begin = partition.begin(comm.rank()), end = partition.end(comm.rank());
    ASSERT_EQ(own.num_block_rows(), end - begin);
    ASSERT_EQ(own.num_block_cols(), end - begin);
    int at = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      ASSERT_EQ(own.graph().row_ptr()(i - begin), at);
      for (int k = whole.graph().row_ptr()(i); k < whole.graph().row_ptr()(i + 1); ++k) {
        const std::int64_t j = whole.graph().col_idx()(k);
        if (j < begin || j >= end) continue;
        ASSERT_EQ(own.graph().col_idx()(at), j - begin);
        for (int v = 0; v < 4; ++v) ASSERT_EQ(own.values()(4 * at + v), whole.values()(4 * k + v));
        ++at;
      }
    }
    ASSERT_EQ(own.num_blocks(), at);
  });
}

TEST(DistributedSetUp, SaysWhatItIs) {
  const auto whole = chain(30, 3);
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto a =
        operator_over_ranks(exec, comm, whole, RowPartition::even(30, 3), with(Decomposition::two_d, HaloForm::packed));
    const std::string text = a.explain();
    EXPECT_THAT(text, HasSubstr("rank " + std::to_string(comm.rank()) + " of 3"));
    EXPECT_THAT(text, HasSubstr("2d"));
    EXPECT_THAT(text, HasSubstr("packed"));
    EXPECT_THAT(text, HasSubstr("threads"));
    EXPECT_EQ(a.halo_plan().num_entries(), comm.rank() == 1 ? 2 : 1);
    // 28 or 29 blocks of 9 doubles and a column, and little else: the halo is of one or two blocks.
    EXPECT_GT(a.bytes().device, 28u * (72 + 4));
    EXPECT_LT(a.bytes().device, 29u * (72 + 4) + 3000);
    EXPECT_GT(a.traffic_bytes(), 28 * (72 + 4));
    EXPECT_FALSE(a.is_stream_ordered());
    EXPECT_FALSE(a.is_capturable());
  });
  const Exec exec = instance_of_rank();
  const auto alone = operator_over_ranks(exec, Communicator(), whole, RowPartition::even(30, 1));
  EXPECT_TRUE(alone.is_capturable());
  EXPECT_EQ(alone.is_stream_ordered(), is_gpu_v<Exec>);
}

// In a chain each neighbour needs one block entry: of 3 doubles here.
TEST(DistributedSetUp, CountsTheMessagesOfItsProducts) {
  constexpr int n = 30, b = 3, products = 4, entry = b * int(sizeof(double));
  for (const HaloBuffers buffers : {HaloBuffers::automatic, HaloBuffers::staged}) {
    run_ranks(3, [&](Communicator& comm) {
      const Exec exec = instance_of_rank();
      DistributedOptions options = with(Decomposition::one_d, HaloForm::packed);
      options.halo.buffers = buffers;
      const auto a = operator_over_ranks(exec, comm, chain(n, b), RowPartition::even(n, 3), options);
      const int neighbours = comm.rank() == 1 ? 2 : 1;
      const auto expect = [&](int exchanges, int messages, int entries) {
        const HaloFigures figures = a.halo_figures();
        EXPECT_EQ(figures.exchanges, exchanges);
        for (const HaloCount& count : {figures.sent, figures.received}) {
          EXPECT_EQ(count.messages, messages * neighbours);
          EXPECT_EQ(count.bytes, entries * neighbours * entry);
        }
        EXPECT_LE(figures.waited_seconds, a.waited_seconds());
      };
      expect(0, 0, 0);
      const Kokkos::View<double*, Space> x("x", a.space().num_local()), y("y", x.extent(0));
      for (int i = 0; i < products; ++i) a.apply(exec, x, y);
      a.apply_without_exchange(exec, x, y);
      expect(products, products, products);
      const Kokkos::View<double**, Kokkos::LayoutRight, Space> xs("xs", x.extent(0), 5), ys("ys", x.extent(0), 5);
      a.apply(exec, xs, ys);
      exec.fence();
      expect(products + 1, products + 1, products + 5);
      if (comm.rank() == 1) {
        EXPECT_THAT(a.explain(),
                    AllOf(HasSubstr("halo: 8 messages of 192 bytes sent and 8 of 192 received in 4 exchanges, "),
                          HasSubstr("halo: 2 messages of 240 bytes sent and 2 of 240 received in 1 exchange, "),
                          HasSubstr(", of 5 vectors each; ")));
      }
      // Ranks that are threads of one process have no messages from a device's memory.
      const bool is_staged = buffers == HaloBuffers::staged || is_gpu_v<Exec>;
      EXPECT_EQ(a.halo_figures().is_staged, is_staged);
      EXPECT_EQ(a.explain().find("staged through") != std::string::npos, is_staged);
    });
  }
  EXPECT_EQ(operator_over_ranks(instance_of_rank(), Communicator(), chain(n, b), RowPartition::even(n, 1))
                .halo_figures()
                .exchanges,
            0);
}

TEST(DistributedSetUp, RefusesRanksThatDisagree) {
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const bool odd = comm.rank() == 1;
    const RowPartition partition = RowPartition::even(30, 3);
    const auto make = [&](int b, const DistributedOptions& options) {
      operator_over_ranks(exec, comm, chain(30, b), partition, options);
    };
    expect_refused<ArgumentError>("blocks of 2 on rank 1, 3 on rank 0", [&] { make(odd ? 2 : 3, {}); });
    expect_refused<ArgumentError>("decomposition 2d on rank 1, 1d on rank 0", [&] {
      make(3, with(odd ? Decomposition::two_d : Decomposition::one_d, HaloForm::packed));
    });
    expect_refused<ArgumentError>("halo form whole on rank 1, packed on rank 0", [&] {
      make(3, with(Decomposition::one_d, odd ? HaloForm::whole : HaloForm::packed));
    });
    expect_refused<ArgumentError>("overlap off on rank 1, on on rank 0",
                                  [&] { make(3, with(Decomposition::one_d, HaloForm::packed, !odd)); });
    expect_refused<ArgumentError>("num_vectors 4 on rank 1, 1 on rank 0", [&] {
      DistributedOptions options;
      options.spmv.num_vectors = odd ? 4 : 1;
      make(3, options);
    });
    // The communicator is as good as ever.
    make(3, {});
  });
}

TEST(DistributedSetUp, RefusesWrongPartsOnAllRanks) {
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const bool odd = comm.rank() == 1;
    const auto whole = chain(30, 2);
    const RowPartition partition = RowPartition::even(30, 3);
    const auto rows = [&](std::int64_t begin, std::int64_t end) { return rows_of(whole, begin, end); };
    const auto make = [&](const RowPartition& parts, const BcsrMatrix<double>& mine,
                          const DistributedOptions& options = {}) {
      DistributedOperator<BcsrMatrix<double>>(exec, comm, parts, mine, options);
    };
    const std::int64_t begin = partition.begin(comm.rank()), end = partition.end(comm.rank());
    expect_refused<ArgumentError>("2 parts", [&] { make(RowPartition::even(30, 2), rows(begin, end)); });
    expect_refused<ShapeError>("31 block rows", [&] { make(RowPartition::even(31, 3), rows(begin, end)); });
    // A row too few on one rank: that one says so, the others say who.
    if (odd) {
      expect_refused<ShapeError>("9 block rows on rank 1", [&] { make(partition, rows(begin, end - 1)); });
    } else {
      expect_refused<RankError>("rank 1", [&] { make(partition, rows(begin, end)); });
    }
    // Another partition on rank 0, where rank 1 ends: its own rows fit.
    const RowPartition other = sizes({10, 11, 9});
    expect_refused<ArgumentError>("partition", [&] { make(comm.rank() == 0 ? other : partition, rows(begin, end)); });
    const auto flat = reference::random_bcsr<BcsrMatrix<double>>(10, 30, BlockShape(2, 3));
    const auto flat_rows = rows_of(flat, 0, 10);
    expect_refused<BlockSizeError>("2 x 3", [&] { make(partition, flat_rows); });
    expect_refused<ArgumentError>("A^T", [&] {
      DistributedOptions options;
      options.spmv.mode = Mode::transpose;
      make(partition, rows(begin, end), options);
    });
    // A block column that is not there.
    const auto wrong = of_columns(30, 2, [](int i) { return std::vector<int>{i == 15 ? 30 : i}; });
    const auto wrong_rows = rows_of(wrong, begin, end);
    if (odd) {
      expect_refused<ArgumentError>("30", [&] { make(partition, wrong_rows); });
    } else {
      expect_refused<RankError>("rank 1", [&] { make(partition, wrong_rows); });
    }
    make(partition, rows(begin, end));
  });
}

}  // namespace
}  // namespace ashlar::testing
