#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "distributed/rank_parts.hpp"

// Patterns and partitions that have corners, and the check of a product with them.

namespace ashlar::testing {

using Host = BcsrMatrix<double>::in_space<Kokkos::HostSpace>;

/// A row of n blocks in the columns that `column` gives.
inline Host of_columns(int n, int b, const std::function<std::vector<int>(int)>& columns) {
  std::vector<int> ptr{0}, idx;
  for (int i = 0; i < n; ++i) {
    for (const int j : columns(i)) idx.push_back(j);
    ptr.push_back(static_cast<int>(idx.size()));
  }
  const Kokkos::View<int*, Kokkos::HostSpace> row_ptr("row_ptr", ptr.size()), col_idx("col_idx", idx.size());
  std::copy(ptr.begin(), ptr.end(), row_ptr.data());
  std::copy(idx.begin(), idx.end(), col_idx.data());
  const auto numbers = random_vector<double>(idx.size() * b * b, 3);
  const Host::values_view values("values", numbers.size());
  std::copy(numbers.begin(), numbers.end(), values.data());
  return {b, {n, row_ptr, col_idx}, values};
}

struct ProductCase {
  std::string name;
  Host matrix;
  RowPartition partition;
};

inline std::vector<ProductCase> product_cases(int ranks, int b) {
  const int n = 37;
  const auto random = reference::random_bcsr<BcsrMatrix<double>>(
      n, n, b, {.min_blocks = 1, .max_blocks = 6, .empty_every = 5, .full_row = 11});
  std::vector<std::int64_t> empty(ranks, 0), single(ranks, 1);
  empty.back() = n;
  std::vector<ProductCase> result;
  result.push_back({"unsymmetric", random, RowPartition::even(n, ranks)});
  result.push_back({"empty ranks", random, sizes(empty)});
  result.push_back({"balanced by blocks", random, [&] {
                      std::vector<std::int64_t> row_ptr;
                      for (int i = 0; i <= n; ++i) row_ptr.push_back(random.graph().row_ptr()(i));
                      return RowPartition::by_row_ptr(row_ptr, ranks);
                    }()});
  result.push_back({"a row a rank",
                    of_columns(ranks, b,
                               [&](int) {
                                 std::vector<int> all;
                                 for (int j = 0; j < ranks; ++j) all.push_back(j);
                                 return all;
                               }),
                    sizes(single)});
  result.push_back(
      {"no neighbours", of_columns(n, b, [](int i) { return std::vector<int>{i}; }), RowPartition::even(n, ranks)});
  // Rank 0 sends to all and needs nothing; a cyclic shift has nothing in own columns but at the cuts.
  result.push_back(
      {"all need the first", of_columns(n, b, [](int) { return std::vector<int>{0}; }), RowPartition::even(n, ranks)});
  result.push_back({"shift", of_columns(n, b, [](int i) { return std::vector<int>{(i + n / 2) % n}; }),
                    RowPartition::even(n, ranks)});
  result.push_back(
      {"no blocks", of_columns(n, b, [](int) { return std::vector<int>{}; }), RowPartition::even(n, ranks)});
  return result;
}

inline std::vector<double> serial_product(const Host& matrix, const std::vector<double>& x) {
  std::vector<double> y(matrix.num_rows());
  reference::spmv(1, matrix, x, 0, y);
  return y;
}

/// Multiplies on all ranks of `comm`, as many as the partition has parts, and compares with the serial product.
inline void expect_right_product(const Communicator& comm, const ProductCase& test, const DistributedOptions& way) {
  const int b = test.matrix.block_size();
  SCOPED_TRACE(test.name + ", block size " + std::to_string(b) + ", " + name_of(way) + ", rank " +
               std::to_string(comm.rank()) + " of " + std::to_string(comm.size()));
  const auto x = random_vector<double>(test.matrix.num_cols(), 1);
  const auto expected = part_of(serial_product(test.matrix, x), test.partition, comm.rank(), b);
  const Exec exec = instance_of_rank();
  const auto a = operator_over_ranks(exec, comm, test.matrix, test.partition, way);
  EXPECT_EQ(a.space().num_local(), test.partition.size(comm.rank()) * b);
  EXPECT_EQ(a.space().num_global(), test.matrix.num_rows());
  const auto y = to_device<Space>(std::vector<double>(expected.size(), std::numeric_limits<double>::quiet_NaN()));
  a.apply(exec, to_device<Space>(part_of(x, test.partition, comm.rank(), b)), y);
  exec.fence();
  // Rows have up to 37 b entries of magnitude 1.
  EXPECT_LE(max_difference(to_host(y), expected), 1e-13);
}

}  // namespace ashlar::testing
