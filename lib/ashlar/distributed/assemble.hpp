#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {

/// Blocks to add, on the host: block k is added at (rows[k], cols[k]), global block indices, in rows of any rank.
///
/// Shapes   values holds R * C entries for each block, block after block, column by column whatever the layout of the
///          matrix.
template <scalar Scalar>
struct BlockContributions {
  std::vector<std::int64_t> rows, cols;
  std::vector<Scalar> values;

  /// Adds a block, whose entries begin at `block`.
  void add(std::int64_t row, std::int64_t col, const Scalar* block, std::int64_t num_values) {
    rows.push_back(row);
    cols.push_back(col);
    values.insert(values.end(), block, block + num_values);
  }
};

namespace impl {

template <class Scalar>
void check_contributions(const BlockContributions<Scalar>& given, const RowPartition& row_map,
                         const RowPartition& column_map, const BlockShape& shape) {
  check("assemble", shape);
  const std::size_t count = given.rows.size();
  if (given.cols.size() != count || given.values.size() != count * std::size_t(shape.num_values())) {
    throw ShapeError(
        text("assemble: ", count, " rows, ", given.cols.size(), " columns and ", given.values.size(), " values"),
        text("each block of ", to_string(shape), " has a row, a column and ", shape.num_values(), " values"),
        "pass full blocks, column after column");
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (given.rows[k] >= 0 && given.rows[k] < row_map.num_rows() && given.cols[k] >= 0 &&
        given.cols[k] < column_map.num_rows()) {
      continue;
    }
    throw StructureError(
        text("assemble: contribution ", k, " is to block (", given.rows[k], ", ", given.cols[k], ")"),
        text("the matrix has ", row_map.num_rows(), " x ", column_map.num_rows(), " blocks, counted from 0"),
        "check the global numbers");
  }
}

/// All contributions to this rank's rows, in the order of the ranks that make them and of their lists. Collective.
template <class Scalar>
BlockContributions<Scalar> contributions_to_own(const Communicator& comm, const BlockContributions<Scalar>& given,
                                                const RowPartition& row_map, std::int64_t of_block) {
  std::vector<BlockContributions<Scalar>> to(std::size_t(comm.size()));
  for (std::size_t k = 0; k < given.rows.size(); ++k) {
    to[std::size_t(row_map.owner(given.rows[k]))].add(given.rows[k], given.cols[k],
                                                      given.values.data() + std::int64_t(k) * of_block, of_block);
  }
  BlockContributions<Scalar> mine;
  const auto gather = [&](auto member) {
    std::vector<std::decay_t<decltype(mine.*member)>> lists;
    for (auto& part : to) lists.push_back(std::move(part.*member));
    mine.*member = lists_from_all(comm, lists);
  };
  gather(&BlockContributions<Scalar>::rows);
  gather(&BlockContributions<Scalar>::cols);
  gather(&BlockContributions<Scalar>::values);
  return mine;
}

/// The sums of contributions to `num_rows` rows from `first_row` on, each in the order of the list.
template <class Matrix, class Exec>
GlobalRows<Matrix> summed_rows(const Exec& exec, const BlockContributions<typename Matrix::scalar_type>& list,
                               std::int64_t first_row, std::int64_t num_rows, const BlockShape& shape) {
  using Offset = typename Matrix::offset_type;
  using Space = typename Matrix::memory_space;
  std::vector<std::size_t> order(list.rows.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return list.rows[a] != list.rows[b] ? list.rows[a] < list.rows[b] : list.cols[a] < list.cols[b];
  });
  std::vector<Offset> row_ptr(std::size_t(num_rows) + 1, Offset(0));
  std::vector<std::int64_t> columns;
  std::vector<typename Matrix::scalar_type> values;
  const std::int64_t of_block = shape.num_values();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t k = order[i];
    const bool is_new = i == 0 || list.rows[k] != list.rows[order[i - 1]] || list.cols[k] != list.cols[order[i - 1]];
    if (is_new) {
      columns.push_back(list.cols[k]);
      ++row_ptr[std::size_t(list.rows[k] - first_row) + 1];
      values.resize(values.size() + std::size_t(of_block), typename Matrix::scalar_type(0));
    }
    auto* const sum = values.data() + values.size() - of_block;
    const auto* const block = list.values.data() + std::int64_t(k) * of_block;
    for (int c = 0; c < shape.cols; ++c) {
      for (int r = 0; r < shape.rows; ++r) {
        sum[Matrix::layout_type::at(r, c, shape.rows, shape.cols)] += block[r + c * shape.rows];
      }
    }
  }
  if (std::int64_t(columns.size()) > most_blocks<Offset>) {
    throw ShapeError(text("assemble: ", columns.size(), " blocks on one rank"),
                     text("the offset type counts to ", most_blocks<Offset>),
                     "use a matrix type with std::int64_t offsets");
  }
  std::partial_sum(row_ptr.begin(), row_ptr.end(), row_ptr.begin());
  return {shape, view_from<Space>(exec, "ashlar::row_ptr", row_ptr), view_from<Space>(exec, "ashlar::columns", columns),
          view_from<Space>(exec, "ashlar::values", values)};
}

}  // namespace impl

/// The sum of the contributions of all ranks as a matrix; each block is on the rank that owns its row. Contributions to
/// one block are added in the order of the ranks that make them, and of their lists: the same bits each time.
///
/// Memory   on the host, the contributions that this rank makes, and twice the contributions to its rows. The matrix in
///          Matrix::memory_space.
/// Async    collective; waits for `exec`.
/// Throws   on all ranks together: ShapeError if lists have different lengths, StructureError naming the first
///          contribution out of range, and as DistributedMatrix.
template <bcsr_matrix Matrix, execution_space Exec>
DistributedMatrix<Matrix> assemble(const Exec& exec, std::shared_ptr<const Communicator> comm, RowPartition row_map,
                                   RowPartition column_map, const BlockShape& block_shape,
                                   const BlockContributions<typename Matrix::scalar_type>& contributions,
                                   const DistributedMatrixOptions& options = {}) {
  comm->require_same("assemble", {{"blocks of", to_string(block_shape)}});
  check_partition(*comm, row_map, "assemble, rows");
  comm->together([&] { impl::check_contributions(contributions, row_map, column_map, block_shape); });
  const auto mine = impl::contributions_to_own(*comm, contributions, row_map, block_shape.num_values());
  const int rank = comm->rank();
  const auto rows = comm->together(
      [&] { return impl::summed_rows<Matrix>(exec, mine, row_map.begin(rank), row_map.size(rank), block_shape); });
  return DistributedMatrix<Matrix>(exec, std::move(comm), std::move(row_map), std::move(column_map), rows, options);
}

}  // namespace ashlar
