#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

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

}  // namespace ashlar
