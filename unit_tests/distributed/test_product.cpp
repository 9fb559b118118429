// Products over ranks against the serial one: patterns, partitions, and every way to exchange and multiply.
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/krylov/concepts.hpp>
#include <cmath>
#include <utility>

#include "distributed/product_cases.hpp"

namespace ashlar::testing {
namespace {

using Vector = Kokkos::View<double*, Space>;

static_assert(linear_operator<DistributedOperator<BcsrMatrix<double>>, Exec, Vector>);
static_assert(
    linear_operator<DistributedOperator<BcsrMatrix<double>>, Exec, Kokkos::View<double**, Kokkos::LayoutLeft, Space>>);

/// Columns of a multi-vector.
template <class Block>
std::vector<double> column_of(const Block& block, int j) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), block);
  std::vector<double> result;
  for (std::size_t i = 0; i < host.extent(0); ++i) result.push_back(host(i, j));
  return result;
}

TEST(DistributedOperator, MultipliesAsTheSerialProduct) {
  for (const int ranks : {1, 2, 3, 4}) {
    for (const int b : {1, 3}) {
      for (const ProductCase& test : product_cases(ranks, b)) {
        for (const DistributedOptions& way : all_ways()) {
          run_ranks(ranks, [&](Communicator& comm) { expect_right_product(comm, test, way); });
        }
      }
    }
  }
}

TEST(DistributedOperator, MultipliesSeveralVectorsOfAnyLayout) {
  const int ranks = 3, b = 2, n = 30;
  const auto matrix = reference::random_bcsr<BcsrMatrix<double>>(n, n, b, {.max_blocks = 7});
  const RowPartition partition = sizes({12, 0, 18});
  std::vector<std::vector<double>> x, expected;
  for (int j = 0; j < 5; ++j) {
    x.push_back(random_vector<double>(n * b, 10 + j));
    expected.push_back(serial_product(matrix, x.back()));
  }
  const auto check = [&](const auto& of_type, Communicator& comm, const auto& a, const Exec& exec, int columns) {
    using Block = std::decay_t<decltype(of_type)>;
    // Columns 1 to `columns` of a wider block.
    const std::int64_t rows = a.space().num_local();
    const Block xs("xs", rows, 6), ys("ys", rows, 6);
    const auto host = Kokkos::create_mirror_view(xs);
    for (int j = 0; j < columns; ++j) {
      const auto part = part_of(x[j], partition, comm.rank(), b);
      for (std::int64_t i = 0; i < rows; ++i) host(i, j + 1) = part[i];
    }
    Kokkos::deep_copy(xs, host);
    const auto middle = std::make_pair(1, columns + 1);
    a.apply(exec, Kokkos::subview(xs, Kokkos::ALL, middle), Kokkos::subview(ys, Kokkos::ALL, middle));
    exec.fence();
    for (int j = 0; j < columns; ++j) {
      EXPECT_LE(max_difference(column_of(ys, j + 1), part_of(expected[j], partition, comm.rank(), b)), 1e-13);
    }
  };
  for (const DistributedOptions& way : all_ways()) {
    run_ranks(ranks, [&](Communicator& comm) {
      SCOPED_TRACE(name_of(way));
      const Exec exec = instance_of_rank();
      const auto a = operator_over_ranks(exec, comm, matrix, partition, way);
      for (const int columns : {1, 5, 2, 5}) {
        check(Kokkos::View<double**, Kokkos::LayoutRight, Space>(), comm, a, exec, columns);
        check(Kokkos::View<double**, Kokkos::LayoutLeft, Space>(), comm, a, exec, columns);
      }
    });
  }
}

TEST(DistributedOperator, OfFloatsMultipliesVectorsOfBoth) {
  const int n = 24, b = 3;
  const auto matrix = reference::random_bcsr<BcsrMatrix<float>>(n, n, b, {.max_blocks = 7});
  const RowPartition partition = RowPartition::even(n, 3);
  const auto x = random_vector<double>(n * b, 1);
  const auto narrow = random_vector<float>(n * b, 2);
  std::vector<double> expected(n * b);
  std::vector<float> expected_narrow(n * b);
  reference::spmv<decltype(matrix), double>(1, matrix, x, 0, expected);
  reference::spmv(1, matrix, narrow, 0, expected_narrow);
  for (const bool double_vectors : {true, false}) {
    run_ranks(3, [&](Communicator& comm) {
      const Exec exec = instance_of_rank();
      DistributedOptions options;
      options.spmv.double_vectors = double_vectors;
      const auto a = operator_over_ranks(exec, comm, matrix, partition, options);
      const Vector y("y", a.space().num_local());
      const Kokkos::View<float*, Space> y_narrow("y", a.space().num_local());
      a.apply(exec, to_device<Space>(part_of(x, partition, comm.rank(), b)), y);
      a.apply(exec, to_device<Space>(part_of(narrow, partition, comm.rank(), b)), y_narrow);
      exec.fence();
      EXPECT_LE(max_difference(to_host(y), part_of(expected, partition, comm.rank(), b)), 1e-13);
      EXPECT_LE(max_difference(to_host(y_narrow), part_of(expected_narrow, partition, comm.rank(), b)), 1e-4);
    });
  }
}

TEST(DistributedOperator, OfComplexNumbers) {
  using Complex = Kokkos::complex<double>;
  const int n = 24;
  const auto matrix = reference::random_bcsr<BcsrMatrix<Complex>>(n, n, 2, {.max_blocks = 7});
  const RowPartition partition = RowPartition::even(n, 3);
  const auto x = random_vector<Complex>(2 * n, 1);
  std::vector<Complex> expected(2 * n);
  reference::spmv(1, matrix, x, 0, expected);
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto a = operator_over_ranks(exec, comm, matrix, partition, with(Decomposition::two_d, HaloForm::automatic));
    const Kokkos::View<Complex*, Space> y("y", a.space().num_local());
    a.apply(exec, to_device<Space>(part_of(x, partition, comm.rank(), 2)), y);
    exec.fence();
    EXPECT_LE(max_difference(to_host(y), part_of(expected, partition, comm.rank(), 2)), 1e-13);
  });
}

// By itself, as nvcc takes no lambda of a device inside a test.
void scale(const Exec& exec, double factor, const Vector& x) {
  Kokkos::parallel_for(
      "test::scale", Kokkos::RangePolicy<Exec>(exec, 0, x.extent(0)), KOKKOS_LAMBDA(int k) { x(k) *= factor; });
}

// Products back to back, each with the result of the one before, and messages that come late and out of order: no bit
// depends on that.
TEST(DistributedOperator, GivesTheSameBitsHoweverLateMessagesCome) {
  const int ranks = 4, n = 60, b = 2;
  const auto matrix = reference::random_bcsr<BcsrMatrix<double>>(n, n, b, {.min_blocks = 3, .max_blocks = 9});
  const RowPartition partition = RowPartition::even(n, ranks);
  const auto x = random_vector<double>(n * b, 1);
  for (const DistributedOptions& way : all_ways()) {
    std::vector<std::vector<double>> first(ranks);
    for (const int run : {0, 1, 2}) {
      ThreadRanksOptions options;
      options.max_delay = std::chrono::microseconds(run * 150);
      options.seed = run;
      options.rendezvous = run == 2;
      run_ranks(
          ranks,
          [&](Communicator& comm) {
            SCOPED_TRACE(name_of(way));
            const Exec exec = instance_of_rank();
            const auto a = operator_over_ranks(exec, comm, matrix, partition, way);
            Vector from = to_device<Space>(part_of(x, partition, comm.rank(), b));
            Vector to("to", from.extent(0));
            for (int i = 0; i < 30; ++i) {
              a.apply(exec, from, to);
              std::swap(from, to);
              // Numbers grow some 3 times in each; kept in range by a power of two.
              scale(exec, 0.25, from);
            }
            exec.fence();
            const auto result = to_host(from);
            if (run == 0) {
              first[comm.rank()] = result;
              EXPECT_LT(max_difference(result, std::vector<double>(result.size())), 1e6);
            } else {
              EXPECT_EQ(result, first[comm.rank()]);
            }
          },
          options);
    }
    // And they are right.
    std::vector<double> expected = x;
    for (int i = 0; i < 30; ++i) {
      expected = serial_product(matrix, expected);
      for (double& entry : expected) entry *= 0.25;
    }
    double largest = 0;
    for (const double entry : expected) largest = std::max(largest, std::abs(entry));
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_LE(max_difference(first[rank], part_of(expected, partition, rank, b)), 1e-10 * largest);
    }
  }
}

// Products that are held until all have come are added in the order in which they would have been added at once.
TEST(DistributedOperator, GivesTheSameBitsWithOverlapAndWithout) {
  const int ranks = 4, n = 60, b = 2;
  const auto matrix = reference::random_bcsr<BcsrMatrix<double>>(n, n, b, {.min_blocks = 3, .max_blocks = 9});
  const RowPartition partition = RowPartition::even(n, ranks);
  const auto x = random_vector<double>(n * b, 1);
  run_ranks(ranks, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const auto product = [&](Decomposition decomposition, bool overlap, HeldBytes& bytes) {
      const auto a = operator_over_ranks(exec, comm, matrix, partition, with(decomposition, HaloForm::packed, overlap));
      bytes = a.bytes();
      const Vector from = to_device<Space>(part_of(x, partition, comm.rank(), b)), to("to", from.extent(0));
      a.apply(exec, from, to);
      exec.fence();
      const auto result = to_host(to);
      a.apply_without_exchange(exec, from, to);
      exec.fence();
      EXPECT_EQ(to_host(to), result);
      return result;
    };
    HeldBytes with_overlap, without;
    EXPECT_EQ(product(Decomposition::one_d, true, with_overlap), product(Decomposition::one_d, false, without));
    EXPECT_EQ(with_overlap.device, without.device) << "in one dimension nothing is held";
    EXPECT_EQ(product(Decomposition::two_d, true, with_overlap), product(Decomposition::two_d, false, without));
    EXPECT_GT(with_overlap.device, without.device) << "products of pieces that come in any order are";
  });
}

TEST(DistributedOperator, LeavesTheLocalPartOfADotBehind) {
  const int n = 20, b = 3;
  const auto matrix = reference::random_bcsr<BcsrMatrix<double>>(n, n, b, {.max_blocks = 7});
  const auto x = random_vector<double>(n * b, 1);
  const auto expected = serial_product(matrix, x);
  for (const int ranks : {1, 3}) {
    const RowPartition partition = RowPartition::even(n, ranks);
    run_ranks(ranks, [&](Communicator& comm) {
      const Exec exec = instance_of_rank();
      const auto a = operator_over_ranks(exec, comm, matrix, partition);
      const auto mine = part_of(x, partition, comm.rank(), b), product = part_of(expected, partition, comm.rank(), b);
      double dot = 0;
      for (std::size_t i = 0; i < mine.size(); ++i) dot += mine[i] * product[i];
      const Vector y("y", mine.size()), slot("slot", 1);
      const TeamSums<Space> sums(exec);
      a.apply_dot(exec, to_device<Space>(mine), y, sums.access(), slot.data());
      exec.fence();
      EXPECT_LE(max_difference(to_host(y), product), 1e-13);
      EXPECT_NEAR(to_host(slot)[0], dot, 1e-12);
    });
  }
}

}  // namespace
}  // namespace ashlar::testing
