#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/impl/column_part.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <ashlar/distributed/impl/own_rows.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar {

namespace impl {

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

}  // namespace impl

/// Block rows of other ranks, and own ones, with global block columns, ascending: for products of matrices. Row i of
/// the result is global block row `rows[i]`; ranks ask for any rows, in any order.
///
/// Memory   allocates the result where the matrix is; on the host, two copies of the rows that leave and arrive.
/// Async    collective; waits for `exec`. Rows go from their owners straight to the ranks that ask for them.
/// Throws   ArgumentError on all ranks together for a row that does not exist.
template <execution_space Exec, bcsr_matrix Matrix>
GlobalRows<Matrix> remote_rows(const Exec& exec, const DistributedMatrix<Matrix>& a,
                               const std::vector<std::int64_t>& rows) {
  const Communicator& comm = a.communicator();
  const RowPartition& map = a.row_map();
  const std::int64_t of_block = a.block_shape().num_values();
  std::vector<std::vector<std::int64_t>> asked(std::size_t(comm.size()));
  std::vector<std::int64_t> place(rows.size());  // position of each row among the rows asked from its owner
  comm.together([&] {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] < 0 || rows[i] >= map.num_rows()) {
        throw ArgumentError(text("remote_rows: block row ", rows[i]), text("there are ", map.num_rows()),
                            "name global block rows, from 0 on");
      }
      const int owner = map.owner(rows[i]);
      auto& list = asked[std::size_t(owner)];
      place[i] = std::int64_t(list.size());
      list.push_back(rows[i] - map.begin(owner));
    }
  });
  // Owners read the rows that all ranks ask for, one rank's after another's.
  std::vector<std::int64_t> wanted, first_of{0};
  for (const auto& list : comm.all_to_all(asked)) {
    wanted.insert(wanted.end(), list.begin(), list.end());
    first_of.push_back(std::int64_t(wanted.size()));
  }
  const auto mine = comm.together([&] {
    return impl::rows_to_host(
        exec, global_rows(exec, a,
                          impl::view_from<typename Matrix::memory_space>(exec, "ashlar::distributed::list", wanted)));
  });
  const auto come = impl::sent_rows<Matrix>(comm, mine, first_of, of_block);
  return comm.together([&] {
    // Restore the order of `rows`.
    std::vector<std::int64_t> begins(come.lengths.size() + 1, 0), first_from(std::size_t(comm.size()) + 1, 0);
    for (std::size_t i = 0; i < come.lengths.size(); ++i) begins[i + 1] = begins[i] + come.lengths[i];
    for (std::size_t r = 0; r < asked.size(); ++r) first_from[r + 1] = first_from[r] + std::int64_t(asked[r].size());
    impl::HostRows<Matrix> result;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto k = std::size_t(first_from[std::size_t(map.owner(rows[i]))] + place[i]);
      result.lengths.push_back(come.lengths[k]);
      result.columns.insert(result.columns.end(), come.columns.begin() + begins[k],
                            come.columns.begin() + begins[k + 1]);
      result.values.insert(result.values.end(), come.values.begin() + begins[k] * of_block,
                           come.values.begin() + begins[k + 1] * of_block);
    }
    return impl::rows_from_host<Matrix>(exec, a.block_shape(), result);
  });
}

}  // namespace ashlar
