#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/distributed/assemble.hpp>
#include <ashlar/distributed/global_rows.hpp>
#include <ashlar/distributed/redistribute.hpp>
#include <ashlar/distributed/remote_rows.hpp>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "distributed/matrix_cases.hpp"

// Matrices from rows in all forms, and their rows on other ranks: on ranks of any kind.

namespace ashlar::testing {

template <class Scalar>
using RowsOf = GlobalRows<BcsrMatrix<Scalar>>;

/// A list of the host's where kernels read it.
template <class Entry>
Kokkos::View<Entry*, Space> device_list(const std::vector<Entry>& list) {
  const Kokkos::View<Entry*, Space> view("test::list", list.size());
  const auto host = Kokkos::create_mirror_view(view);
  std::copy(list.begin(), list.end(), host.data());
  Kokkos::deep_copy(view, host);
  return view;
}

/// Global rows on the device of lists on the host.
template <class Scalar>
RowsOf<Scalar> global_rows_of(const BlockShape& shape, const std::vector<int>& row_ptr,
                              const std::vector<std::int64_t>& columns, const std::vector<Scalar>& values) {
  return {shape, device_list(row_ptr), device_list(columns), device_list(values)};
}

/// This rank's rows with 64-bit columns, shuffled within each row.
template <class Scalar>
RowsOf<Scalar> shuffled_rows(const MatrixCase<Scalar>& test, int rank, unsigned seed) {
  const auto& whole = test.whole;
  const std::int64_t of_block = whole.block_shape().num_values();
  std::mt19937 random(seed);
  std::vector<int> row_ptr{0};
  std::vector<std::int64_t> columns;
  std::vector<Scalar> values;
  for (std::int64_t i = test.row_map.begin(rank); i < test.row_map.end(rank); ++i) {
    std::vector<std::int64_t> blocks(whole.graph().row_ptr()(i + 1) - whole.graph().row_ptr()(i));
    std::iota(blocks.begin(), blocks.end(), whole.graph().row_ptr()(i));
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (const std::int64_t k : blocks) {
      columns.push_back(whole.graph().col_idx()(k));
      for (std::int64_t v = 0; v < of_block; ++v) values.push_back(whole.values()(k * of_block + v));
    }
    row_ptr.push_back(static_cast<int>(columns.size()));
  }
  return global_rows_of(whole.block_shape(), row_ptr, columns, values);
}

/// This rank's rows in a numbering of its own: columns that it uses in any order, and rows, too.
template <class Scalar>
RowsWithGhosts<BcsrMatrix<Scalar>> rows_with_ghosts(const MatrixCase<Scalar>& test, int rank, bool shuffle_rows) {
  const auto& whole = test.whole;
  const std::int64_t of_block = whole.block_shape().num_values(), begin = test.row_map.begin(rank),
                     end = test.row_map.end(rank);
  std::mt19937 random(7 + rank);
  std::vector<std::int64_t> rows(end - begin), columns;
  std::iota(rows.begin(), rows.end(), begin);
  if (shuffle_rows) std::shuffle(rows.begin(), rows.end(), random);
  // Own nodes and ghost nodes mixed; own columns whether used or not.
  for (std::int64_t j = 0; j < whole.num_block_cols(); ++j) {
    bool is_used = j >= test.column_map.begin(rank) && j < test.column_map.end(rank);
    for (std::int64_t k = whole.graph().row_ptr()(begin); k < whole.graph().row_ptr()(end) && !is_used; ++k) {
      is_used = whole.graph().col_idx()(k) == j;
    }
    if (is_used) columns.push_back(j);
  }
  std::shuffle(columns.begin(), columns.end(), random);
  std::vector<std::int64_t> local(whole.num_block_cols(), -1);
  for (std::size_t j = 0; j < columns.size(); ++j) local[columns[j]] = std::int64_t(j);
  using Host = HostMatrixOf<Scalar>;
  const std::int64_t count = whole.graph().row_ptr()(end) - whole.graph().row_ptr()(begin);
  const Kokkos::View<int*, Kokkos::HostSpace> row_ptr("row_ptr", rows.size() + 1), col_idx("col_idx", count);
  const typename Host::values_view values("values", count * of_block);
  std::int64_t to = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::int64_t> blocks;
    for (std::int64_t k = whole.graph().row_ptr()(rows[i]); k < whole.graph().row_ptr()(rows[i] + 1); ++k) {
      blocks.push_back(k);
    }
    // Ascending in the local numbers, as BcsrMatrix has it.
    std::sort(blocks.begin(), blocks.end(), [&](std::int64_t a, std::int64_t b) {
      return local[whole.graph().col_idx()(a)] < local[whole.graph().col_idx()(b)];
    });
    for (const std::int64_t k : blocks) {
      col_idx(to) = static_cast<int>(local[whole.graph().col_idx()(k)]);
      for (std::int64_t v = 0; v < of_block; ++v) values(to * of_block + v) = whole.values()(k * of_block + v);
      ++to;
    }
    row_ptr(i + 1) = static_cast<int>(to);
  }
  const Exec exec;
  const auto matrix =
      copy_to<Space>(exec, Host(whole.block_shape(), {static_cast<int>(columns.size()), row_ptr, col_idx}, values));
  exec.fence();
  RowsWithGhosts<BcsrMatrix<Scalar>> result{matrix, device_list(columns)};
  if (shuffle_rows) result.global_row = device_list(rows);
  return result;
}

/// Contributions of all ranks whose sum is the matrix: each block in thirds, of which two are given by ranks that
/// mostly do not own it.
template <class Scalar>
BlockContributions<Scalar> contributions_of(const MatrixCase<Scalar>& test, int rank, int ranks) {
  const auto& whole = test.whole;
  const BlockShape shape = whole.block_shape();
  const std::int64_t of_block = shape.num_values();
  BlockContributions<Scalar> list;
  for (std::int64_t i = whole.num_block_rows() - 1; i >= 0; --i) {
    for (std::int64_t k = whole.graph().row_ptr()(i); k < whole.graph().row_ptr()(i + 1); ++k) {
      for (const int third : {0, 1, 2}) {
        if ((k + third) % ranks != rank) continue;
        std::vector<Scalar> block;
        for (std::int64_t v = 0; v < of_block; ++v) {
          const Scalar value = whole.values()(k * of_block + v);
          block.push_back(third == 0 ? value * Scalar(0.5) : value * Scalar(0.25));
        }
        list.add(i, whole.graph().col_idx()(k), block.data(), of_block);
      }
    }
  }
  return list;
}

/// The rows equal the listed rows of the whole matrix.
template <class Scalar>
void expect_rows(const RowsOf<Scalar>& rows, const HostMatrixOf<Scalar>& whole, const std::vector<std::int64_t>& list) {
  const auto host = [](const auto& view) { return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view); };
  const auto row_ptr = host(rows.row_ptr);
  const auto columns = host(rows.columns);
  const auto values = host(rows.values);
  const std::int64_t of_block = whole.block_shape().num_values();
  ASSERT_EQ(rows.num_block_rows(), std::int64_t(list.size()));
  EXPECT_EQ(rows.block_shape, whole.block_shape());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::int64_t first = whole.graph().row_ptr()(list[i]);
    ASSERT_EQ(row_ptr(i + 1) - row_ptr(i), whole.graph().row_ptr()(list[i] + 1) - first) << "row " << list[i];
    for (std::int64_t k = 0; k < row_ptr(i + 1) - row_ptr(i); ++k) {
      EXPECT_EQ(columns(row_ptr(i) + k), whole.graph().col_idx()(first + k));
      for (std::int64_t v = 0; v < of_block; ++v) {
        EXPECT_EQ(values((row_ptr(i) + k) * of_block + v), whole.values()((first + k) * of_block + v));
      }
    }
  }
}

/// The matrix has the bits of the whole one.
template <class Scalar>
void expect_own_rows(const Exec& exec, const DistributedMatrix<BcsrMatrix<Scalar>>& a,
                     const HostMatrixOf<Scalar>& whole) {
  std::vector<std::int64_t> own(a.num_block_rows()), global(own.size());
  std::iota(own.begin(), own.end(), std::int64_t(0));
  std::iota(global.begin(), global.end(), a.row_map().begin(a.rank()));
  const Kokkos::View<const std::int64_t*, Space> list = device_list(own);
  const auto rows = global_rows(exec, a, list);
  exec.fence();
  expect_rows<Scalar>(rows, whole, global);
  EXPECT_EQ(a.num_global_blocks(), whole.num_blocks());
}

template <class Scalar>
void expect_rows_in_all_forms(const Communicator& comm) {
  using A = DistributedMatrix<BcsrMatrix<Scalar>>;
  const auto group = shared(comm);
  const Exec exec = instance_of_rank();
  const int rank = comm.rank();
  for (const auto& test : matrix_cases<Scalar>(comm.size())) {
    SCOPED_TRACE(test.name + ", rank " + std::to_string(rank) + " of " + std::to_string(comm.size()));
    expect_own_rows(exec, distributed(exec, group, test), test.whole);

    const auto shuffled = shuffled_rows(test, rank, 3);
    const A of_global(exec, group, test.row_map, test.column_map, shuffled);
    expect_own_rows(exec, of_global, test.whole);
    expect_right_products(exec, of_global, test.whole, ExchangeMode::blocking);
    expect_own_rows(exec, of_global.with_values(exec, shuffled.values), test.whole);

    for (const bool shuffle_rows : {false, true}) {
      const auto given = rows_with_ghosts(test, rank, shuffle_rows);
      const A of_ghosts(exec, group, test.row_map, test.column_map, given);
      expect_own_rows(exec, of_ghosts, test.whole);
      expect_own_rows(exec, of_ghosts.with_values(exec, given.rows.values()), test.whole);
    }

    const auto assembled =
        assemble<BcsrMatrix<Scalar>>(exec, group, test.row_map, test.column_map, test.whole.block_shape(),
                                     contributions_of(test, rank, comm.size()));
    expect_own_rows(exec, assembled, test.whole);
  }
}

template <class Scalar>
void expect_rows_of_other_ranks(const Communicator& comm) {
  const auto group = shared(comm);
  const Exec exec = instance_of_rank();
  for (const auto& test : matrix_cases<Scalar>(comm.size())) {
    SCOPED_TRACE(test.name + ", rank " + std::to_string(comm.rank()) + " of " + std::to_string(comm.size()));
    const auto a = distributed(exec, group, test);
    const std::int64_t n = test.whole.num_block_rows();
    std::vector<std::int64_t> list;
    for (int i = 0; n > 0 && i < 12 * comm.rank(); ++i) list.push_back((5 * i + comm.rank()) % n);  // some twice
    expect_rows<Scalar>(remote_rows(exec, a, list), test.whole, list);
    std::vector<std::int64_t> all(n);
    std::iota(all.begin(), all.end(), std::int64_t(0));
    expect_rows<Scalar>(remote_rows(exec, a, all), test.whole, all);
  }
}

template <class Scalar>
void expect_redistribution(const Communicator& comm) {
  const auto group = shared(comm);
  const Exec exec = instance_of_rank();
  const int ranks = comm.size(), rank = comm.rank();
  for (const auto& test : matrix_cases<Scalar>(ranks)) {
    const auto a = distributed(exec, group, test);
    const std::int64_t rows = test.whole.num_block_rows(), cols = test.whole.num_block_cols();
    const std::vector<std::pair<RowPartition, RowPartition>> maps{
        {all_on(0, rows, ranks), all_on(0, cols, ranks)},
        {all_on(ranks - 1, rows, ranks), RowPartition::even(cols, ranks)},
        {RowPartition::even(rows, ranks), RowPartition::even(cols, ranks)}};
    for (const auto& [row_map, column_map] : maps) {
      SCOPED_TRACE(test.name + ", rank " + std::to_string(rank) + " of " + std::to_string(ranks));
      const auto b = redistribute(exec, a, row_map, column_map);
      EXPECT_EQ(b.row_map(), row_map);
      EXPECT_EQ(b.column_map(), column_map);
      expect_own_rows(exec, b, test.whole);
      expect_right_products(exec, b, test.whole, ExchangeMode::blocking);
      // Vectors go with it.
      const int C = test.whole.block_shape().cols;
      std::vector<std::vector<Scalar>> x;
      for (int j = 0; j < 3; ++j) x.push_back(random_vector<Scalar>(test.whole.num_cols(), 1 + j));
      const auto check = [&]<class View>(const View& from) {
        const auto to = part_on_device<View>(
            std::vector<std::vector<Scalar>>(View::rank() == 1 ? 1 : 3, std::vector<Scalar>(test.whole.num_cols())),
            column_map, rank, C);
        redistribute(exec, comm, a.column_map(), column_map, C, from, to);
        const auto expected = View::rank() == 1 ? std::vector<std::vector<Scalar>>{x[0]} : x;
        expect_part(to, expected, column_map, rank, C, "a vector");
      };
      check(part_on_device<Kokkos::View<Scalar*, Space>>(std::vector<std::vector<Scalar>>{x[0]}, a.column_map(), rank,
                                                         C));
      check(part_on_device<Kokkos::View<Scalar**, Kokkos::LayoutLeft, Space>>(x, a.column_map(), rank, C));
    }
  }
}

}  // namespace ashlar::testing
