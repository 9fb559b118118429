#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/global_rows.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar {

namespace impl {

/// Block rows on the host, on their way between ranks.
template <class Matrix>
struct HostRows {
  std::vector<std::int64_t> lengths, columns;
  std::vector<typename Matrix::scalar_type> values;
};

template <class Exec, class Matrix>
HostRows<Matrix> rows_to_host(const Exec& exec, const GlobalRows<Matrix>& rows) {
  HostRows<Matrix> result;
  const auto row_ptr = list_of(exec, rows.row_ptr);
  for (std::size_t i = 1; i < row_ptr.size(); ++i) {
    result.lengths.push_back(std::int64_t(row_ptr[i]) - std::int64_t(row_ptr[i - 1]));
  }
  result.columns = list_of(exec, rows.columns);
  result.values = list_of(exec, rows.values);
  return result;
}

template <class Matrix, class Exec>
GlobalRows<Matrix> rows_from_host(const Exec& exec, const BlockShape& shape, const HostRows<Matrix>& rows) {
  using Space = typename Matrix::memory_space;
  if (std::int64_t(rows.columns.size()) > most_blocks<typename Matrix::offset_type>) {
    throw ShapeError(text("DistributedMatrix: ", rows.columns.size(), " blocks come to one rank"),
                     text("the offset type counts to ", most_blocks<typename Matrix::offset_type>),
                     "use more ranks, or a matrix type with std::int64_t offsets");
  }
  std::vector<typename Matrix::offset_type> row_ptr(rows.lengths.size() + 1, 0);
  for (std::size_t i = 0; i < rows.lengths.size(); ++i) {
    row_ptr[i + 1] = static_cast<typename Matrix::offset_type>(row_ptr[i] + rows.lengths[i]);
  }
  return {shape, view_from<Space>(exec, "ashlar::row_ptr", row_ptr),
          view_from<Space>(exec, "ashlar::columns", rows.columns),
          view_from<Space>(exec, "ashlar::values", rows.values)};
}

/// Sends rows first_of(rank) to first_of(rank + 1) - 1 to each rank; returns what comes, by rank. Collective.
template <class Matrix>
HostRows<Matrix> sent_rows(const Communicator& comm, const HostRows<Matrix>& rows,
                           const std::vector<std::int64_t>& first_of, std::int64_t of_block) {
  std::vector<std::int64_t> blocks_before(1, 0);  // of each row
  for (const std::int64_t length : rows.lengths) blocks_before.push_back(blocks_before.back() + length);
  const auto row = [&](int rank) { return first_of[std::size_t(rank)]; };
  const auto block = [&](int rank) { return blocks_before[std::size_t(row(rank))]; };
  return {lists_from_all(comm, pieces_of(rows.lengths.data(), comm.size(), row)),
          lists_from_all(comm, pieces_of(rows.columns.data(), comm.size(), block)),
          lists_from_all(comm,
                         pieces_of(rows.values.data(), comm.size(), [&](int rank) { return block(rank) * of_block; }))};
}

/// Own rows, counted from this rank's first, that other ranks request: rank r requests entries first_of[r] to
/// first_of[r + 1] - 1 of `rows`.
struct RequestedRows {
  std::vector<std::int64_t> rows, first_of = {0};
};

/// Asks the owners for rows `rows` of `a`, global and ascending; returns what other ranks ask of this one. Collective.
template <class Matrix>
RequestedRows request_rows(const DistributedMatrix<Matrix>& a, const std::vector<std::int64_t>& rows) {
  const Communicator& comm = a.communicator();
  const auto asked = comm.together([&] {
    std::vector<std::vector<std::int64_t>> of_owner(std::size_t(comm.size()));
    for (const std::int64_t row : rows) {
      const int owner = a.row_map().owner(row);
      of_owner[std::size_t(owner)].push_back(row - a.row_map().begin(owner));
    }
    return of_owner;
  });
  RequestedRows requested;
  for (const auto& list : comm.all_to_all(asked)) {
    requested.rows.insert(requested.rows.end(), list.begin(), list.end());
    requested.first_of.push_back(std::int64_t(requested.rows.size()));
  }
  return requested;
}

/// Block rows of other ranks: their structure is fetched once, their values for each matrix of one structure.
template <class Matrix>
class FetchedRows {
 public:
  using Space = typename Matrix::memory_space;

  FetchedRows() = default;

  /// Rows `rows` of `a`, global and ascending. Collective; waits for `exec`.
  template <class Exec>
  FetchedRows(const Exec& exec, const DistributedMatrix<Matrix>& a, const std::vector<std::int64_t>& rows) {
    const Communicator& comm = a.communicator();
    const RequestedRows requested = request_rows(a, rows);
    comm.together([&] { wanted_ = view_from<Space>(exec, "ashlar::distributed::list", requested.rows); });
    const auto mine = comm.together([&] { return rows_to_host(exec, global_rows(exec, a, wanted_)); });
    std::vector<std::int64_t> first_block(1, 0);
    for (const std::int64_t length : mine.lengths) first_block.push_back(first_block.back() + length);
    HostRows<Matrix> come;
    come.lengths = lists_from_all(comm, pieces(mine.lengths, requested.first_of));
    for (const std::int64_t row : requested.first_of) first_block_of_.push_back(first_block[std::size_t(row)]);
    come.columns = lists_from_all(comm, pieces(mine.columns, first_block_of_));
    rows_ = comm.together([&] { return rows_from_host<Matrix>(exec, a.block_shape(), come); });
  }

  /// The rows of a matrix with the structure of the first. Collective; waits for `exec`.
  template <class Exec>
  GlobalRows<Matrix> of(const Exec& exec, const DistributedMatrix<Matrix>& a) const {
    const Communicator& comm = a.communicator();
    const auto mine = comm.together([&] { return list_of(exec, global_rows(exec, a, wanted_).values); });
    const auto come = lists_from_all(comm, pieces(mine, first_block_of_, a.block_shape().num_values()));
    GlobalRows<Matrix> rows = rows_;
    comm.together([&] { rows.values = view_from<Space>(exec, "ashlar::values", come); });
    return rows;
  }

  /// Without values.
  const GlobalRows<Matrix>& structure() const { return rows_; }

 private:
  /// A list, with `each` entries a row or block, cut by the rank that a piece goes to: rank r gets first_of[r] to
  /// first_of[r + 1] - 1.
  template <class Entry>
  static std::vector<std::vector<Entry>> pieces(const std::vector<Entry>& list,
                                                const std::vector<std::int64_t>& first_of, std::int64_t each = 1) {
    return pieces_of(list.data(), int(first_of.size()) - 1,
                     [&](int rank) { return first_of[std::size_t(rank)] * each; });
  }

  Kokkos::View<const std::int64_t*, Space> wanted_;  ///< own rows that go to other ranks, one rank's after another's
  std::vector<std::int64_t> first_block_of_;         ///< each rank's first among the blocks that go; last, their number
  GlobalRows<Matrix> rows_;
};

}  // namespace impl

/// Block rows of other ranks, and own ones, with global block columns, ascending: for products of matrices. Row i of
/// the result is global block row `rows[i]`; ranks ask for any rows, in any order.
///
/// Memory   where the matrix is: first the rows that leave, which are freed, then the result. On the host, up to three
///          copies of the rows that leave and two of those that arrive.
/// Async    collective; waits for `exec`. Rows go from their owners straight to the ranks that ask for them.
/// Throws   ArgumentError where a row does not exist, ShapeError where offsets overflow; RankError on other ranks.
template <execution_space Exec, bcsr_matrix Matrix>
GlobalRows<Matrix> remote_rows(const Exec& exec, const DistributedMatrix<Matrix>& a,
                               const std::vector<std::int64_t>& rows) {
  const Communicator& comm = a.communicator();
  std::vector<std::int64_t> sorted;  // the order in which rows come: by owner, and owners ascend with rows
  comm.together([&] {
    sorted = rows;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (const std::int64_t row : rows) {
      if (row >= 0 && row < a.num_global_block_rows()) continue;
      throw ArgumentError(text("remote_rows: block row ", row), text("there are ", a.num_global_block_rows()),
                          "name global block rows, from 0 on");
    }
  });
  const impl::RequestedRows requested = impl::request_rows(a, sorted);
  const auto mine = comm.together([&] {
    using Space = typename Matrix::memory_space;
    const auto own_rows = impl::view_from<Space>(exec, "ashlar::distributed::list", requested.rows);
    return impl::rows_to_host(exec, global_rows(exec, a, own_rows));
  });
  const std::int64_t of_block = a.block_shape().num_values();
  const auto fetched = impl::sent_rows<Matrix>(comm, mine, requested.first_of, of_block);
  return comm.together([&] {
    std::vector<std::int64_t> begins(1, 0);
    for (const std::int64_t length : fetched.lengths) begins.push_back(begins.back() + length);
    impl::HostRows<Matrix> result;
    for (const std::int64_t row : rows) {
      const auto k = std::size_t(std::lower_bound(sorted.begin(), sorted.end(), row) - sorted.begin());
      const std::int64_t begin = begins[k], end = begins[k + 1];
      result.lengths.push_back(end - begin);
      result.columns.insert(result.columns.end(), fetched.columns.begin() + begin, fetched.columns.begin() + end);
      result.values.insert(result.values.end(), fetched.values.begin() + begin * of_block,
                           fetched.values.begin() + end * of_block);
    }
    return impl::rows_from_host<Matrix>(exec, a.block_shape(), result);
  });
}

}  // namespace ashlar
