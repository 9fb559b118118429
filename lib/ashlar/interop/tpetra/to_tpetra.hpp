#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_ArrayView.hpp>
#include <Teuchos_Comm.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_CrsGraph.hpp>
#include <Tpetra_Map.hpp>
#include <algorithm>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/interop/tpetra/types.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace ashlar {

namespace impl {

/// The parts of a Tpetra graph: its own row offsets, local column numbers, and the global columns that they stand for,
/// which ascend, so that blocks keep their order.
template <class LO, class GO, class Node>
struct TpetraColumns {
  using graph_type = typename Tpetra::CrsGraph<LO, GO, Node>::local_graph_device_type;
  typename graph_type::row_map_type::non_const_type row_ptr;
  typename graph_type::entries_type::non_const_type col_idx;
  std::vector<GO> global;
};

/// Row offsets and columns of `graph`, whose columns are global, for Tpetra.
template <class LO, class GO, class Node, class Graph>
TpetraColumns<LO, GO, Node> tpetra_columns(const Graph& graph) {
  using Columns = TpetraColumns<LO, GO, Node>;
  using RowPtr = decltype(Columns::row_ptr);
  using ColIdx = decltype(Columns::col_idx);
  const auto theirs_row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), graph.row_ptr());
  const auto theirs_col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), graph.col_idx());
  Columns columns{RowPtr("ashlar::to_tpetra::row_ptr", std::size_t(graph.num_block_rows()) + 1),
                  ColIdx("ashlar::to_tpetra::col_idx", graph.col_idx().extent(0)),
                  {}};
  columns.global.assign(theirs_col_idx.data(), theirs_col_idx.data() + theirs_col_idx.extent(0));
  std::sort(columns.global.begin(), columns.global.end());
  columns.global.erase(std::unique(columns.global.begin(), columns.global.end()), columns.global.end());
  const auto row_ptr = Kokkos::create_mirror_view(columns.row_ptr);
  const auto col_idx = Kokkos::create_mirror_view(columns.col_idx);
  for (std::size_t i = 0; i < theirs_row_ptr.extent(0); ++i) row_ptr(i) = static_cast<std::size_t>(theirs_row_ptr(i));
  for (std::size_t k = 0; k < theirs_col_idx.extent(0); ++k) {
    const auto found = std::lower_bound(columns.global.begin(), columns.global.end(), GO(theirs_col_idx(k)));
    col_idx(k) = static_cast<LO>(found - columns.global.begin());
  }
  Kokkos::deep_copy(columns.row_ptr, row_ptr);
  Kokkos::deep_copy(columns.col_idx, col_idx);
  return columns;
}

}  // namespace impl

/// A Tpetra::BlockCrsMatrix on the values of an Ashlar matrix: block rows distributed to ranks by a partition, each
/// rank's with the block columns of the whole matrix, as DistributedOperator takes them. Collective.
///
/// Values are shared, and none of them is copied: a change through one matrix is visible in the other. Row offsets and
/// columns are Tpetra's own: it counts in std::size_t, and numbers columns separately on each rank.
///
/// Memory   on the host, for a moment, the structure once more, unless it is there already.
/// Throws   on all ranks: ShapeError if the rows are not the partition's; ArgumentError if the partition is for other
///          ranks; BlockSizeError if blocks are not square.
template <class Scalar = Tpetra::BlockCrsMatrix<>::scalar_type,
          class LO = typename Tpetra::BlockCrsMatrix<Scalar>::local_ordinal_type,
          class GO = typename Tpetra::BlockCrsMatrix<Scalar, LO>::global_ordinal_type,
          class Node = typename Tpetra::BlockCrsMatrix<Scalar, LO, GO>::node_type, bcsr_matrix Matrix>
Teuchos::RCP<Tpetra::BlockCrsMatrix<Scalar, LO, GO, Node>> to_tpetra(
    const Teuchos::RCP<const Teuchos::Comm<int>>& teuchos, const RowPartition& partition, const Matrix& rows) {
  static_assert(std::is_same_v<typename Matrix::layout_type, BlockRowMajor>,
                "ashlar::to_tpetra: Tpetra stores blocks by rows; make the matrix with BlockRowMajor");
  static_assert(std::is_same_v<typename Matrix::scalar_type, impl::view_scalar<Scalar, LO, GO, Node>>,
                "ashlar::to_tpetra: the matrix does not hold the scalars of Tpetra; name the Scalar that it holds, as "
                "to_tpetra<float>(...), or make the matrix of others");
  static_assert(std::is_same_v<typename Matrix::memory_space, tpetra_memory_space<Node>>,
                "ashlar::to_tpetra: the matrix is not in the memory space of Tpetra's node; copy_to() moves it there");
  using Graph = Tpetra::CrsGraph<LO, GO, Node>;
  using Map = Tpetra::Map<LO, GO, Node>;
  const Communicator comm = from_teuchos(*teuchos);
  const int rank = comm.rank();
  auto columns = comm.together([&] {
    if (partition.num_parts() != comm.size()) {
      throw ArgumentError(text("to_tpetra: a partition of ", partition.num_parts(), " parts"),
                          text("there are ", comm.size(), " ranks"), "make a part for each rank");
    }
    if (partition.size(rank) != std::int64_t(rows.num_block_rows()) ||
        partition.num_rows() != std::int64_t(rows.num_block_cols())) {
      throw ShapeError(
          text("to_tpetra: ", rows.num_block_rows(), " x ", rows.num_block_cols(), " blocks on rank ", rank),
          text("the partition gives it ", partition.size(rank), " of ", partition.num_rows(), " block rows"),
          "pass the block rows that the partition says, with the columns of the whole matrix");
    }
    rows.block_size();
    return impl::tpetra_columns<LO, GO, Node>(rows.graph());
  });
  const auto row_map =
      Teuchos::rcp(new Map(Tpetra::global_size_t(partition.num_rows()), std::size_t(partition.size(rank)), 0, teuchos));
  const auto column_map = Teuchos::rcp(
      new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
              Teuchos::ArrayView<const GO>(columns.global.data(), static_cast<Teuchos::Ordinal>(columns.global.size())),
              0, teuchos));
  const Graph graph(typename Graph::local_graph_device_type(columns.col_idx, columns.row_ptr), row_map, column_map,
                    row_map, row_map);
  return Teuchos::rcp(
      new Tpetra::BlockCrsMatrix<Scalar, LO, GO, Node>(graph, rows.values(), static_cast<LO>(rows.block_size())));
}

}  // namespace ashlar
