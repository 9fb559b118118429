#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

// Matrices and vectors move between one rank and all: data read once, and vectors to be written once. They travel
// through host memory; the root holds all of them.

namespace ashlar {

/// Each rank's block rows of a matrix that the root has, with the block columns of the whole. Collective.
///
/// `whole` is looked at on the root alone, which it has `partition.num_rows()` block rows on.
///
/// Memory   on the root, besides the matrix, a copy of it in the host's memory; two where the matrix is a device's.
/// Async    waits for `exec`.
/// Throws   ShapeError, on all ranks together (RankError on the others), where the matrix has other block rows.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix scatter_rows(const Exec& exec, const Communicator& comm, const RowPartition& partition, const Matrix& whole,
                    int root = 0) {
  using Scalar = typename Matrix::scalar_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Space = typename Matrix::memory_space;
  const bool has_it = comm.rank() == root;
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::vector<Offset>> lengths(ranks);
  std::vector<std::vector<Ordinal>> columns(ranks);
  std::vector<std::vector<Scalar>> values(ranks);
  struct Sizes {
    BlockShape block_shape;
    Ordinal num_block_cols;
  } sizes{};
  comm.together([&] {
    if (!has_it) return;
    if (std::int64_t(whole.num_block_rows()) != partition.num_rows() || partition.num_parts() != comm.size()) {
      throw ShapeError(text("scatter_rows: a partition of ", partition.num_rows(), " block rows in ",
                            partition.num_parts(), " parts"),
                       text("the matrix has ", whole.num_block_rows(), ", and there are ", comm.size(), " ranks"),
                       "make the partition of this matrix");
    }
    const auto host = copy_to<Kokkos::HostSpace>(exec, whole);
    exec.fence("ashlar::scatter_rows: the whole matrix");
    const auto row_ptr = host.graph().row_ptr();
    std::vector<Offset> length(static_cast<std::size_t>(whole.num_block_rows()));
    for (std::size_t i = 0; i < length.size(); ++i) length[i] = row_ptr(i + 1) - row_ptr(i);
    const std::int64_t of_block = whole.block_shape().num_values();
    // (An empty matrix may have no row pointers.)
    const auto row = [&](int part) { return partition.offsets()[std::size_t(part)]; };
    const auto block = [&](int part) { return row(part) == 0 ? std::int64_t(0) : std::int64_t(row_ptr(row(part))); };
    lengths = impl::pieces_of(length.data(), comm.size(), row);
    columns = impl::pieces_of(host.graph().col_idx().data(), comm.size(), block);
    values = impl::pieces_of(host.values().data(), comm.size(), [&](int part) { return block(part) * of_block; });
    sizes = {whole.block_shape(), whole.num_block_cols()};
  });
  sizes = comm.broadcast(sizes, root);
  const auto at_root = static_cast<std::size_t>(root);
  const std::vector<Offset> my_lengths = comm.all_to_all(lengths)[at_root];
  const std::vector<Ordinal> my_columns = comm.all_to_all(columns)[at_root];
  const std::vector<Scalar> my_values = comm.all_to_all(values)[at_root];
  std::vector<Offset> row_ptr(my_lengths.size() + 1, 0);
  for (std::size_t i = 0; i < my_lengths.size(); ++i) row_ptr[i + 1] = row_ptr[i] + my_lengths[i];
  return comm.together([&] {
    return Matrix(
        sizes.block_shape,
        typename Matrix::graph_type(sizes.num_block_cols, impl::view_from<Space>(exec, "ashlar::row_ptr", row_ptr),
                                    impl::view_from<Space>(exec, "ashlar::col_idx", my_columns)),
        impl::view_from<Space>(exec, "ashlar::values", my_values));
  });
}

/// Each rank's part of a vector that the root has: `block_size` entries for each block row. Collective.
///
/// Result   a view in the memory of `exec`, which is waited for.
/// Throws   ShapeError, on all ranks together (RankError on the others), where the root's has another length.
template <execution_space Exec, class Scalar>
auto scatter_vector(const Exec& exec, const Communicator& comm, const RowPartition& partition, int block_size,
                    const std::vector<Scalar>& whole, int root = 0) {
  static_assert(std::is_trivially_copyable_v<Scalar>);
  std::vector<std::vector<Scalar>> pieces(static_cast<std::size_t>(comm.size()));
  comm.together([&] {
    if (comm.rank() != root) return;
    if (std::int64_t(whole.size()) != partition.num_rows() * block_size) {
      throw ShapeError(text("scatter_vector: a vector of ", whole.size(), " entries"),
                       text("the system has ", partition.num_rows() * block_size, " rows"),
                       "pass an entry for each row");
    }
    pieces = impl::pieces_of(whole.data(), partition.num_parts(),
                             [&](int part) { return partition.offsets()[std::size_t(part)] * block_size; });
  });
  return impl::view_from<typename Exec::memory_space>(exec, "ashlar::scattered",
                                                      comm.all_to_all(pieces)[static_cast<std::size_t>(root)]);
}

/// All of a vector, on the root; nothing elsewhere. Collective. Waits for `exec`.
template <execution_space Exec, vector_view X>
std::vector<typename X::non_const_value_type> gather_vector(const Exec& exec, const Communicator& comm, const X& x,
                                                            int root = 0) {
  using Scalar = typename X::non_const_value_type;
  std::vector<std::vector<Scalar>> pieces(static_cast<std::size_t>(comm.size()));
  pieces[static_cast<std::size_t>(root)] = impl::list_of(exec, x);
  return impl::lists_from_all(comm, pieces);
}

}  // namespace ashlar
