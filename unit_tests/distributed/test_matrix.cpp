// Distributed matrices of any shape: products with A, A^T and A^H against the serial ones, and new values.
#include <gtest/gtest.h>

#include <ashlar/distributed/diagonal.hpp>
#include <ashlar/distributed/operator.hpp>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "distributed/matrix_cases.hpp"

namespace ashlar::testing {
namespace {

template <class Scalar>
class DistributedMatrixOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, Kokkos::complex<double>>;
TYPED_TEST_SUITE(DistributedMatrixOf, Scalars);

TYPED_TEST(DistributedMatrixOf, MultipliesAsTheSerialProducts) {
  for (const int ranks : {1, 2, 3, 4}) {
    run_ranks(ranks,
              [&](Communicator& comm) { expect_right_products_of_all_kinds<TypeParam>(comm, ExchangeMode::blocking); });
  }
}

TEST(DistributedMatrix, MultipliesWithAnAutomaticMode) {
  run_ranks(3, [&](Communicator& comm) { expect_right_products_of_all_kinds<double>(comm); });
}

TEST(DistributedMatrix, GivesTheSameBitsHoweverLateMessagesCome) {
  const int ranks = 4;
  const auto cases = matrix_cases<double>(ranks);
  const auto& test = cases[1];
  const auto z = random_vector<double>(test.whole.num_rows(), 1);
  std::vector<std::vector<double>> first(ranks);
  for (const int run : {0, 1, 2}) {
    ThreadRanksOptions options;
    options.max_delay = std::chrono::microseconds(run * 150);
    options.seed = run;
    options.rendezvous = run == 2;
    run_ranks(
        ranks,
        [&](Communicator& comm) {
          const Exec exec = instance_of_rank();
          const auto a = distributed(exec, shared(comm), test);
          ProductWorkspace<BcsrMatrix<double>> workspace(exec, a, {.exchange = ExchangeMode::blocking});
          const auto x = to_device<Space>(part_of(z, test.row_map, comm.rank(), 2));
          const Kokkos::View<double*, Space> y("y", a.local().num_cols());
          for (int i = 0; i < 20; ++i) {
            multiply_transpose(exec, a, workspace, x, y);
            multiply(exec, a, workspace, 0.25, y, 0.5, x);
          }
          exec.fence();
          const auto result = to_host(y);
          if (run == 0) first[comm.rank()] = result;
          EXPECT_EQ(result, first[comm.rank()]);
        },
        options);
  }
}

TEST(DistributedMatrix, TakesNewValuesInTheSamePattern) {
  for (const int ranks : {1, 3}) {
    run_ranks(ranks, [&](Communicator& comm) {
      const Exec exec = instance_of_rank();
      const auto group = shared(comm);
      for (const auto& test : matrix_cases<double>(ranks)) {
        SCOPED_TRACE(test.name);
        const auto a = distributed(exec, group, test);
        ProductWorkspace<BcsrMatrix<double>> workspace(exec, a);
        auto other = test.whole;
        const HostMatrixOf<double>::values_view values("values", other.values().extent(0));
        for (std::size_t v = 0; v < values.extent(0); ++v) values(v) = 1 / (1.0 + v);
        other = {other.block_shape(), other.graph(), values};
        const auto rows = rows_of(other, test.row_map.begin(comm.rank()), test.row_map.end(comm.rank()));
        const auto b = a.with_values(exec, rows.values());
        EXPECT_TRUE(b.has_pattern_of(a));
        expect_products_of<Kokkos::View<double*, Space>>(exec, b, workspace, other, 1);
        // The first one is as it was.
        expect_products_of<Kokkos::View<double*, Space>>(exec, a, workspace, test.whole, 1);
        expect_refused<ShapeError>(
            "new values", [&] { a.with_values(exec, Kokkos::View<double*, Space>("v", rows.values().extent(0) + 1)); });
      }
      const auto without = distributed(exec, group, matrix_cases<double>(ranks)[0], {.keep_value_order = false});
      expect_refused<ArgumentError>("not kept", [&] { without.with_values(exec, {}); });
    });
  }
}

std::atomic<int> num_allocations{0};

/// Counts allocations of views on all threads, from its construction to its destruction.
class CountAllocations {
 public:
  CountAllocations() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char*, const void*, std::uint64_t) { ++num_allocations; });
  }
  CountAllocations(const CountAllocations&) = delete;
  CountAllocations& operator=(const CountAllocations&) = delete;
  ~CountAllocations() { Kokkos::Tools::Experimental::set_callbacks(before_); }

 private:
  Kokkos::Tools::Experimental::EventSet before_;
};

TEST(DistributedMatrix, AllocatesNothingInASecondProduct) {
  const CountAllocations counting;
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    for (const auto& test : matrix_cases<double>(3)) {
      const auto a = distributed(exec, shared(comm), test);
      ProductWorkspace<BcsrMatrix<double>> workspace(exec, a);
      const Kokkos::View<double*, Space> x("x", a.local().num_cols()), y("y", a.local().num_rows());
      const Kokkos::View<double**, Space> xs("x", a.local().num_cols(), 2), ys("y", a.local().num_rows(), 2);
      const auto multiply_all = [&] {
        multiply(exec, a, workspace, x, y);
        multiply_transpose(exec, a, workspace, y, x);
        multiply(exec, a, workspace, xs, ys);
        multiply_transpose(exec, a, workspace, ys, xs);
        exec.fence();
      };
      multiply_all();
      comm.barrier();
      num_allocations = 0;
      comm.barrier();
      multiply_all();
      comm.barrier();
      EXPECT_EQ(num_allocations, 0) << test.name;
      comm.barrier();
    }
  });
}

// The operator of a distributed matrix has the bits of the operator of its rows.
TEST(DistributedMatrix, IsAnOperator) {
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto cases = matrix_cases<double>(3);
    const auto a = distributed(exec, shared(comm), cases[0]);
    const auto x = to_device<Space>(part_of(random_vector<double>(37 * 3, 1), cases[0].row_map, comm.rank(), 3));
    const Kokkos::View<double*, Space> y("y", x.extent(0)), z("z", x.extent(0));
    for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
      const auto options = with(decomposition, HaloForm::automatic);
      DistributedOperator<BcsrMatrix<double>>(exec, a, options).apply(exec, x, y);
      operator_over_ranks(exec, comm, cases[0].whole, cases[0].row_map, options).apply(exec, x, z);
      exec.fence();
      EXPECT_EQ(to_host(y), to_host(z));
    }
    const auto unlike = distributed(exec, shared(comm), cases[4]);
    expect_refused<ArgumentError>("another partition than its columns",
                                  [&] { DistributedOperator<BcsrMatrix<double>>(exec, unlike).block_size(); });
  });
}

TEST(DistributedMatrix, HasTheDiagonalOfItsRows) {
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto cases = matrix_cases<double>(3);
    const auto group = shared(comm);
    const auto a = distributed(exec, group, cases[0]);
    const auto diagonal = copy_to<Kokkos::HostSpace>(exec, diagonal_blocks(exec, a));
    exec.fence();
    const auto whole = reference::dense(cases[0].whole);
    const std::int64_t n = cases[0].whole.num_cols();
    for (std::int64_t i = 0; i < diagonal.num_block_rows(); ++i) {
      for (std::int64_t k = diagonal.graph().row_ptr()(i); k < diagonal.graph().row_ptr()(i + 1); ++k) {
        const std::int64_t row = (cases[0].row_map.begin(comm.rank()) + i) * 3;
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) EXPECT_EQ(diagonal.values()(k * 9 + c * 3 + r), whole[(row + r) * n + row + c]);
        }
      }
    }
    EXPECT_THROW(diagonal_blocks(exec, distributed(exec, group, cases[4])), ArgumentError);
  });
}

TEST(DistributedMatrix, SaysWhatItIs) {
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto a = distributed(exec, shared(comm), matrix_cases<double>(2)[1]);
    EXPECT_NE(a.explain().find("19 x 41 blocks of 2 x 3"), std::string::npos) << a.explain();
    EXPECT_GT(a.bytes().device, 0U);
    ProductWorkspace<BcsrMatrix<double>> workspace(exec, a);
    EXPECT_GT(workspace.bytes().device, 0U);
    EXPECT_NE(workspace.explain().find("remote: "), std::string::npos) << workspace.explain();
  });
}

TEST(DistributedMatrix, RefusesWhatDoesNotFit) {
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto group = shared(comm);
    const auto test = matrix_cases<double>(2)[1];
    const auto rows = rows_of(test.whole, test.row_map.begin(comm.rank()), test.row_map.end(comm.rank()));
    using A = DistributedMatrix<BcsrMatrix<double>>;
    expect_refused<ShapeError>("the column map has 40",
                               [&] { A(exec, group, test.row_map, RowPartition::even(40, 2), rows); });
    expect_refused<ShapeError>("the row map gives it", [&] { A(exec, group, sizes({8, 11}), test.column_map, rows); });
    expect_refused<ArgumentError>("a partition of 3 parts",
                                  [&] { A(exec, group, test.row_map, RowPartition::even(41, 3), rows); });
    expect_refused<ArgumentError>("another partition than rank 0", [&] {
      A(exec, group, comm.rank() == 0 ? sizes({10, 9}) : sizes({9, 10}), test.column_map, rows);
    });
    const A a(exec, group, test.row_map, test.column_map, rows), b(exec, group, test.row_map, test.column_map, rows);
    ProductWorkspace<BcsrMatrix<double>> workspace(exec, a);
    const Kokkos::View<double*, Space> x("x", a.local().num_cols()), y("y", a.local().num_rows());
    expect_refused<ArgumentError>("another pattern", [&] { multiply(exec, b, workspace, x, y); });
    expect_refused<ShapeError>("x has", [&] { multiply(exec, a, workspace, y, y); });
    expect_refused<ArgumentError>("A^T or A^H",
                                  [&] { multiply_transpose(exec, a, workspace, y, x, Mode::no_transpose); });
  });
}

}  // namespace
}  // namespace ashlar::testing
