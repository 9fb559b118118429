#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_ArrayView.hpp>
#include <Tpetra_CrsGraph.hpp>
#include <Tpetra_Map.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/interop/tpetra/rows.hpp>
#include <ashlar/interop/tpetra/types.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ashlar {

/// The distributed matrix that distributed_from_tpetra() makes of a Tpetra matrix.
template <class Scalar, class LO, class GO, class Node>
using DistributedTpetraMatrix = DistributedMatrix<bcsr_of_tpetra<Scalar, LO, GO, Node>>;

namespace impl {

/// Each rank's share of a map: its local entries, in rank order. Collective.
template <class LO, class GO, class Node>
RowPartition partition_of_map(const Communicator& comm, const Tpetra::Map<LO, GO, Node>& map) {
  std::vector<std::int64_t> offsets{0};
  for (const std::int64_t count : comm.all_gather(static_cast<std::int64_t>(map.getLocalNumElements()))) {
    offsets.push_back(offsets.back() + count);
  }
  return RowPartition(offsets);
}

/// The number of each local column in the partition of the domain map: the owner's first number plus the owner's local
/// index. Collective.
///
/// Throws   on all ranks: ArgumentError if a column is in nobody's domain map.
template <class LO, class GO, class Node>
std::vector<std::int64_t> numbers_of_columns(const Communicator& comm, const Tpetra::CrsGraph<LO, GO, Node>& graph,
                                             const RowPartition& partition, const char* who) {
  const auto columns = graph.getColMap();
  const std::size_t count = columns->getLocalNumElements();
  std::vector<GO> global(count);
  std::vector<int> owner(count);
  std::vector<LO> place(count);
  for (std::size_t j = 0; j < count; ++j) global[j] = columns->getGlobalElement(static_cast<LO>(j));
  graph.getDomainMap()->getRemoteIndexList(Teuchos::arrayViewFromVector(std::as_const(global)),
                                           Teuchos::arrayViewFromVector(owner), Teuchos::arrayViewFromVector(place));
  return comm.together([&] {
    std::vector<std::int64_t> numbers(count);
    for (std::size_t j = 0; j < count; ++j) {
      if (owner[j] < 0) {
        throw ArgumentError(text(who, ": column ", global[j], " of the column map on rank ", comm.rank()),
                            "no rank has it in the domain map", "check the maps that the graph was made with");
      }
      numbers[j] = partition.begin(owner[j]) + static_cast<std::int64_t>(place[j]);
    }
    return numbers;
  });
}

}  // namespace impl

/// A Tpetra matrix as a distributed matrix of Ashlar: for amg::Preconditioner, matrix products and
/// DistributedOperator. It takes a BlockCrsMatrix, or a CrsMatrix that is fill-complete, whose blocks then have size 1.
///
/// Each rank has the rows that it has in Tpetra, in the same order, and local vectors are the same. Global numbers
/// differ: they count the rows rank after rank, whatever the maps say.
///
/// Values are copied; later changes are not followed. This takes new values in the same structure:
///
///     matrix = matrix.with_values(exec, ashlar::from_kokkos_kernels(a.getLocalMatrixDevice()).values());
///
/// Memory   this rank's rows once, as DistributedMatrix stores them. On the host, for a moment, 24 bytes for each
///          column of the column map.
/// Async    collective over the communicator of the matrix, which need not outlive the result. Waits.
/// Throws   on all ranks: ArgumentError if rows are exported (a range map that is not the row map), or if a CrsMatrix
///          is not fill-complete; as DistributedMatrix.
template <template <class...> class TpetraMatrix, class Scalar, class LO, class GO, class Node>
requires(impl::tpetra_matrix<TpetraMatrix<Scalar, LO, GO, Node>>)
    DistributedTpetraMatrix<Scalar, LO, GO, Node> distributed_from_tpetra(
        const TpetraMatrix<Scalar, LO, GO, Node>& a, const DistributedMatrixOptions& options = {}) {
  using Matrix = bcsr_of_tpetra<Scalar, LO, GO, Node>;
  constexpr const char* name = "distributed_from_tpetra";
  const auto comm = std::make_shared<const Communicator>(from_teuchos(*a.getComm()));
  const Matrix rows = comm->together([&] { return impl::rows_of(a, name); });
  const Tpetra::CrsGraph<LO, GO, Node>& graph = impl::graph_of(a);
  impl::check_rows_are_in_range(*comm, graph, name);
  const RowPartition row_map = impl::partition_of_map(*comm, *graph.getRowMap());
  const RowPartition column_map = impl::partition_of_map(*comm, *graph.getDomainMap());
  const std::vector<std::int64_t> numbers = impl::numbers_of_columns(*comm, graph, column_map, name);
  const tpetra_execution_space<Node> exec;
  const auto columns = comm->together(
      [&] { return impl::view_from<typename Matrix::memory_space>(exec, "ashlar::tpetra::columns", numbers); });
  return DistributedTpetraMatrix<Scalar, LO, GO, Node>(exec, comm, row_map, column_map,
                                                       RowsWithGhosts<Matrix>{rows, columns}, options);
}

}  // namespace ashlar
