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
#include <ashlar/distributed/remote_rows.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

// Matrices and vectors in another partition, in which ranks may have empty parts. Data go from their owners straight to
// the new owners.

namespace ashlar {

namespace impl {

/// The first row of this rank for each rank, counted from its own first row; then the number of its rows.
inline std::vector<std::int64_t> first_rows_of(const RowPartition& from, const RowPartition& to, int rank) {
  std::vector<std::int64_t> first;
  for (int part = 0; part <= to.num_parts(); ++part) {
    const std::int64_t begin = part < to.num_parts() ? to.begin(part) : to.num_rows();
    first.push_back(std::clamp(begin, from.begin(rank), from.end(rank)) - from.begin(rank));
  }
  return first;
}

inline void check_same_rows(const Communicator& comm, const char* what, const RowPartition& from,
                            const RowPartition& to) {
  check_partition(comm, to, text("redistribute, ", what));
  if (from.num_rows() == to.num_rows()) return;
  throw ArgumentError(text("redistribute: a partition of ", to.num_rows(), " ", what),
                      text("there are ", from.num_rows()), "make a partition of as many");
}

}  // namespace impl

/// The same matrix with other maps of rows and columns. Collective, on the communicator of `a`, which is shared.
///
/// Memory   allocates the new matrix; on the host, two copies of the rows that leave and arrive.
/// Async    waits for `exec`.
/// Throws   ArgumentError on all ranks together if a map is of other ranks or other numbers.
template <execution_space Exec, bcsr_matrix Matrix>
DistributedMatrix<Matrix> redistribute(const Exec& exec, const DistributedMatrix<Matrix>& a, RowPartition row_map,
                                       RowPartition column_map, const DistributedMatrixOptions& options = {}) {
  using Space = typename Matrix::memory_space;
  const Communicator& comm = a.communicator();
  impl::check_same_rows(comm, "block rows", a.row_map(), row_map);
  impl::check_same_rows(comm, "block columns", a.column_map(), column_map);
  const auto mine = comm.together([&] {
    std::vector<std::int64_t> all(std::size_t(a.num_block_rows()));
    std::iota(all.begin(), all.end(), std::int64_t(0));
    return impl::rows_to_host(exec,
                              global_rows(exec, a, impl::view_from<Space>(exec, "ashlar::distributed::list", all)));
  });
  const auto come = impl::sent_rows<Matrix>(comm, mine, impl::first_rows_of(a.row_map(), row_map, comm.rank()),
                                            a.block_shape().num_values());
  const auto rows = comm.together([&] { return impl::rows_from_host<Matrix>(exec, a.block_shape(), come); });
  return DistributedMatrix<Matrix>(exec, a.shared_communicator(), std::move(row_map), std::move(column_map), rows,
                                   options);
}

/// y := x, which is distributed by `from`, distributed by `to`. Collective.
///
/// Shapes   x: from.size(rank) * block_size rows; y: to.size(rank) * block_size; both of rank 1, or of rank 2 with as
///          many columns on all ranks.
/// Memory   packed copies of x and y; on the host, two copies of each.
/// Async    waits for `exec`.
/// Throws   on all ranks together: ShapeError, ArgumentError if vectors or partitions do not fit.
template <execution_space Exec, class X, class Y>
void redistribute(const Exec& exec, const Communicator& comm, const RowPartition& from, const RowPartition& to,
                  int block_size, const X& x, const Y& y) {
  static_assert(
      Kokkos::is_view_v<X> && Kokkos::is_view_v<Y> && X::rank() == Y::rank() && (X::rank() == 1 || X::rank() == 2),
      "ashlar::redistribute: x and y must be views of rank 1 or 2");
  using Scalar = typename X::non_const_value_type;
  using Space = typename Exec::memory_space;
  using Packed = std::conditional_t<X::rank() == 1, Kokkos::View<Scalar*, Space>,
                                    Kokkos::View<Scalar**, Kokkos::LayoutRight, Space>>;
  using Flat = Kokkos::View<Scalar*, Space>;
  check_partition(comm, from, "redistribute, from");
  impl::check_same_rows(comm, "block entries", from, to);
  const std::int64_t columns = X::rank() == 1 ? 1 : std::int64_t(x.extent(1));
  const std::int64_t row = block_size * columns;  // values of a block row
  const auto packed = [&](std::int64_t rows) {
    return Packed(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::redistribute::packed"), std::size_t(rows),
                  X::rank() == 1 ? KOKKOS_INVALID_INDEX : std::size_t(columns));
  };
  const auto mine = comm.together([&] {
    const std::int64_t x_rows = from.size(comm.rank()) * block_size, y_rows = to.size(comm.rank()) * block_size;
    if (std::int64_t(x.extent(0)) != x_rows || std::int64_t(y.extent(0)) != y_rows || x.extent(1) != y.extent(1)) {
      throw ShapeError(
          text("redistribute: x of ", x.extent(0), " x ", x.extent(1), " and y of ", y.extent(0), " x ", y.extent(1)),
          text("this rank has ", x_rows, " rows, and is to have ", y_rows),
          "pass its parts, with as many columns of both");
    }
    const Packed all = packed(x_rows);
    Kokkos::deep_copy(exec, all, x);
    return impl::list_of(exec, Flat(all.data(), all.size()));
  });
  const auto first = impl::first_rows_of(from, to, comm.rank());
  const std::vector<Scalar> come = impl::lists_from_all(
      comm, impl::pieces_of(mine.data(), comm.size(), [&](int rank) { return first[std::size_t(rank)] * row; }));
  const Packed all = packed(std::int64_t(y.extent(0)));
  Kokkos::deep_copy(exec, Flat(all.data(), all.size()),
                    Kokkos::View<const Scalar*, Kokkos::HostSpace>(come.data(), come.size()));
  Kokkos::deep_copy(exec, y, all);
  exec.fence("ashlar::redistribute: this rank's part");
}

}  // namespace ashlar
