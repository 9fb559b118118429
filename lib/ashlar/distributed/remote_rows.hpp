#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar {

namespace impl {

/// The rows of a rank in a DistributedMatrix, for kernels.
template <class Matrix>
struct OwnRows {
  using Space = typename Matrix::memory_space;

  typename Matrix::graph_type::row_ptr_view local_row_ptr, remote_row_ptr;
  typename Matrix::graph_type::col_idx_view local_columns, remote_columns;
  typename Matrix::values_view local_values, remote_values;
  Kokkos::View<const typename Matrix::ordinal_type*, Space> remote_rows;
  Kokkos::View<const std::int64_t*, Space> halo_columns;

  explicit OwnRows(const DistributedMatrix<Matrix>& a)
      : local_row_ptr(a.local().graph().row_ptr()),
        remote_row_ptr(a.remote().graph().row_ptr()),
        local_columns(a.local().graph().col_idx()),
        remote_columns(a.remote().graph().col_idx()),
        local_values(a.local().values()),
        remote_values(a.remote().values()),
        remote_rows(a.remote_rows()),
        halo_columns(a.halo_columns()) {}

  /// The remote blocks of a row: begin and end.
  KOKKOS_INLINE_FUNCTION Kokkos::pair<std::int64_t, std::int64_t> remote_blocks(std::int64_t row) const {
    const auto count = static_cast<std::int64_t>(remote_rows.extent(0));
    const std::int64_t at = first_not_less(remote_rows, 0, count, row);
    if (at == count || std::int64_t(remote_rows(at)) != row) return {0, 0};
    return {std::int64_t(remote_row_ptr(at)), std::int64_t(remote_row_ptr(at + 1))};
  }
};

/// Own rows with global columns: of row rows(i), first the remote blocks left of the local columns, then the local
/// ones, then the other remote ones. So columns ascend.
template <class Matrix>
struct GlobalRowBlocks {
  using Space = typename Matrix::memory_space;
  using Offset = typename Matrix::offset_type;

  OwnRows<Matrix> own;
  Kokkos::View<const std::int64_t*, Space> rows;
  std::int64_t first_column, of_block;
  Kokkos::View<const Offset*, Space> row_ptr;
  Kokkos::View<std::int64_t*, Space> columns;
  typename Matrix::values_view values;

  KOKKOS_INLINE_FUNCTION std::int64_t num_blocks(std::int64_t i) const {
    const auto remote = own.remote_blocks(rows(i));
    return std::int64_t(own.local_row_ptr(rows(i) + 1)) - std::int64_t(own.local_row_ptr(rows(i))) + remote.second -
           remote.first;
  }

  KOKKOS_INLINE_FUNCTION void put(std::int64_t to, std::int64_t column, const typename Matrix::values_view& from,
                                  std::int64_t block) const {
    columns(to) = column;
    for (std::int64_t v = 0; v < of_block; ++v) values(to * of_block + v) = from(block * of_block + v);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = rows(i);
    const auto remote = own.remote_blocks(row);
    std::int64_t to = row_ptr(i), k = remote.first;
    for (; k < remote.second && own.halo_columns(own.remote_columns(k)) < first_column; ++k) {
      put(to++, own.halo_columns(own.remote_columns(k)), own.remote_values, k);
    }
    for (std::int64_t l = own.local_row_ptr(row); l < std::int64_t(own.local_row_ptr(row + 1)); ++l) {
      put(to++, first_column + own.local_columns(l), own.local_values, l);
    }
    for (; k < remote.second; ++k) put(to++, own.halo_columns(own.remote_columns(k)), own.remote_values, k);
  }
};

template <class Matrix, class Exec>
std::int64_t scan_row_lengths(
    const Exec& exec, const GlobalRowBlocks<Matrix>& blocks,
    const Kokkos::View<typename Matrix::offset_type*, typename Matrix::memory_space>& begins) {
  const auto num_rows = static_cast<std::int64_t>(blocks.rows.extent(0));
  std::int64_t total = 0;
  Kokkos::parallel_scan(
      "ashlar::distributed[count global rows]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, num_rows + 1),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & sum, bool last) {
        if (last) begins(i) = static_cast<typename Matrix::offset_type>(sum);
        if (i < num_rows) sum += blocks.num_blocks(i);
      },
      total);
  exec.fence("ashlar::distributed: blocks of global rows");
  if (total > most_blocks<typename Matrix::offset_type>) {
    throw ShapeError(text("global_rows: ", total, " blocks"),
                     text("the offset type counts to ", most_blocks<typename Matrix::offset_type>),
                     "ask for fewer rows, or use a matrix type with std::int64_t offsets");
  }
  return total;
}

}  // namespace impl

/// Some of this rank's block rows with global block columns, ascending: row i of the result is own row own_rows(i),
/// counted from the first of this rank.
///
/// Memory   allocates the result where the matrix is.
/// Async    waits for `exec` once; the fill is enqueued. Not collective.
template <execution_space Exec, bcsr_matrix Matrix>
GlobalRows<Matrix> global_rows(const Exec& exec, const DistributedMatrix<Matrix>& a,
                               const Kokkos::View<const std::int64_t*, typename Matrix::memory_space>& own_rows) {
  using Space = typename Matrix::memory_space;
  using Offset = typename Matrix::offset_type;
  const auto uninitialized = [](const char* label) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label));
  };
  const Kokkos::View<Offset*, Space> row_ptr(uninitialized("ashlar::row_ptr"), own_rows.extent(0) + 1);
  impl::GlobalRowBlocks<Matrix> blocks{impl::OwnRows<Matrix>(a),
                                       own_rows,
                                       a.column_map().begin(a.rank()),
                                       a.block_shape().num_values(),
                                       row_ptr,
                                       {},
                                       {}};
  const std::int64_t total = impl::scan_row_lengths(exec, blocks, row_ptr);
  blocks.columns = Kokkos::View<std::int64_t*, Space>(uninitialized("ashlar::columns"), std::size_t(total));
  blocks.values = typename Matrix::values_view(uninitialized("ashlar::values"), std::size_t(total * blocks.of_block));
  Kokkos::parallel_for("ashlar::distributed[global rows]",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(own_rows.extent(0))),
                       blocks);
  return {a.block_shape(), row_ptr, blocks.columns, blocks.values};
}

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
    const auto asked = comm.together([&] {
      std::vector<std::vector<std::int64_t>> of_owner(std::size_t(comm.size()));
      for (const std::int64_t row : rows) {
        const int owner = a.row_map().owner(row);
        of_owner[std::size_t(owner)].push_back(row - a.row_map().begin(owner));
      }
      return of_owner;
    });
    std::vector<std::int64_t> wanted;
    for (const auto& list : comm.all_to_all(asked)) {
      wanted.insert(wanted.end(), list.begin(), list.end());
      first_of_rank_.push_back(wanted.size());
    }
    comm.together([&] { wanted_ = view_from<Space>(exec, "ashlar::distributed::list", wanted); });
    const auto mine = comm.together([&] { return rows_to_host(exec, global_rows(exec, a, wanted_)); });
    std::vector<std::int64_t> first_block(1, 0);
    for (const std::int64_t length : mine.lengths) first_block.push_back(first_block.back() + length);
    HostRows<Matrix> come;
    come.lengths = lists_from_all(comm, pieces(mine.lengths));
    for (std::size_t& place : first_of_rank_) place = std::size_t(first_block[place]);  // from now on in blocks
    come.columns = lists_from_all(comm, pieces(mine.columns));
    rows_ = comm.together([&] { return rows_from_host<Matrix>(exec, a.block_shape(), come); });
  }

  /// The rows of a matrix with the structure of the first. Collective; waits for `exec`.
  template <class Exec>
  GlobalRows<Matrix> of(const Exec& exec, const DistributedMatrix<Matrix>& a) const {
    const Communicator& comm = a.communicator();
    const auto mine = comm.together([&] { return list_of(exec, global_rows(exec, a, wanted_).values); });
    const auto come = lists_from_all(comm, pieces(mine, std::size_t(a.block_shape().num_values())));
    GlobalRows<Matrix> rows = rows_;
    comm.together([&] { rows.values = view_from<Space>(exec, "ashlar::values", come); });
    return rows;
  }

  /// Without values.
  const GlobalRows<Matrix>& structure() const { return rows_; }

 private:
  /// A list, with `each` entries a block, cut by the rank that a piece goes to.
  template <class Entry>
  std::vector<std::vector<Entry>> pieces(const std::vector<Entry>& list, std::size_t each = 1) const {
    return pieces_of(list.data(), int(first_of_rank_.size()) - 1,
                     [&](int rank) { return first_of_rank_[std::size_t(rank)] * each; });
  }

  Kokkos::View<const std::int64_t*, Space> wanted_;  ///< own rows that go to other ranks, one rank's after another's
  std::vector<std::size_t> first_of_rank_ = {0};     ///< of the blocks of these rows; then their number
  GlobalRows<Matrix> rows_;
};

}  // namespace impl

/// Block rows of other ranks, and own ones, with global block columns, ascending: for products of matrices. Row i of
/// the result is global block row `rows[i]`; ranks ask for any rows, in any order.
///
/// Memory   allocates the result where the matrix is, and until it is made the rows that arrive, too; on the host, two
///          copies of the rows that leave and arrive.
/// Async    collective; waits for `exec`. Rows go from their owners straight to the ranks that ask for them.
/// Throws   ArgumentError on all ranks together for a row that does not exist.
template <execution_space Exec, bcsr_matrix Matrix>
GlobalRows<Matrix> remote_rows(const Exec& exec, const DistributedMatrix<Matrix>& a,
                               const std::vector<std::int64_t>& rows) {
  const Communicator& comm = a.communicator();
  std::vector<std::int64_t> sorted;
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
  const GlobalRows<Matrix> come = impl::FetchedRows<Matrix>(exec, a, sorted).of(exec, a);
  return comm.together([&] {
    const impl::HostRows<Matrix> fetched = impl::rows_to_host(exec, come);
    std::vector<std::int64_t> begins(1, 0);
    for (const std::int64_t length : fetched.lengths) begins.push_back(begins.back() + length);
    const std::int64_t of_block = a.block_shape().num_values();
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
