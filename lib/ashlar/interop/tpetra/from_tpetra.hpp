#pragma once

#include <Teuchos_RCP.hpp>
#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_CrsGraph.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Distributor.hpp>
#include <Tpetra_Import.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/interop/column_map_operator.hpp>
#include <ashlar/interop/column_sources.hpp>
#include <ashlar/interop/tpetra/operator.hpp>
#include <ashlar/interop/tpetra/rows.hpp>
#include <ashlar/interop/tpetra/types.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar {

/// The operator on the memory of a Tpetra matrix.
template <class Scalar, class LO, class GO, class Node>
using TpetraMatrixOperator = ColumnMapOperator<bcsr_of_tpetra<Scalar, LO, GO, Node>, tpetra_execution_space<Node>>;

namespace impl {

/// The messages of an importer, as a plan of ours, and the places of the columns' entries after it.
struct ImportedHalo {
  HaloPlan plan;
  ColumnSources sources;
};

/// Collective.
template <class LO, class GO, class Node>
ImportedHalo imported_halo(const Communicator& comm, const Tpetra::Import<LO, GO, Node>& importer) {
  const auto to = importer.getPermuteToLIDs_dv().view_host(), from = importer.getPermuteFromLIDs_dv().view_host(),
             remote = importer.getRemoteLIDs_dv().view_host(), exported = importer.getExportLIDs_dv().view_host();
  const auto ranks = importer.getExportPIDs();
  const auto& messages = importer.getDistributor();
  const auto from_ranks = messages.getProcsFrom();
  const auto lengths = messages.getLengthsFrom();

  std::vector<std::vector<std::int64_t>> send(std::size_t(comm.size()));
  for (std::size_t k = 0; k < exported.extent(0); ++k) send[std::size_t(ranks[k])].push_back(exported(k));
  std::vector<std::int64_t> receive(std::size_t(comm.size()), 0);
  for (std::size_t m = 0; m < std::size_t(from_ranks.size()); ++m) {
    receive[std::size_t(from_ranks[m])] = static_cast<std::int64_t>(lengths[m]);
  }
  const auto num_own = static_cast<std::int64_t>(importer.getSourceMap()->getLocalNumElements());
  ImportedHalo result{HaloPlan::from_lists(comm, num_own, receive, send), {}};

  const auto num_same = static_cast<std::int64_t>(importer.getNumSameIDs());
  for (std::int64_t k = 0; k < num_same; ++k) result.sources.own.add(k, k);
  for (std::size_t k = 0; k < to.extent(0); ++k) result.sources.own.add(to(k), from(k));
  // Remote columns are listed message by message, in the importer's order of ranks; our halo is ordered by rank.
  std::size_t next = 0;
  for (std::size_t m = 0; m < std::size_t(from_ranks.size()); ++m) {
    std::int64_t entry = 0;
    for (const auto& neighbour : result.plan.from()) {
      if (neighbour.rank == from_ranks[m]) entry = neighbour.begin;
    }
    for (std::size_t k = 0; k < lengths[m]; ++k) result.sources.halo.add(remote(next++), entry++);
  }
  return result;
}

/// Collective: the operator with the rows of `a`, whose columns are the column map of its graph.
template <template <class...> class TpetraMatrix, class Scalar, class LO, class GO, class Node>
TpetraMatrixOperator<Scalar, LO, GO, Node> operator_of_matrix(const TpetraMatrix<Scalar, LO, GO, Node>& a,
                                                              const ColumnMapOptions& options) {
  const Communicator comm = from_teuchos(*a.getComm());
  const auto rows = comm.together([&] { return rows_of(a, "from_tpetra"); });
  const Tpetra::CrsGraph<LO, GO, Node>& graph = graph_of(a);
  check_rows_are_in_range(comm, graph, "from_tpetra");
  const tpetra_execution_space<Node> exec;
  // (An importer is null on all ranks, or on none.)
  const auto importer = graph.getImporter();
  if (importer.is_null()) return {exec, comm, rows, options};
  const ImportedHalo halo = imported_halo(comm, *importer);
  return {exec, comm, rows, halo.plan, halo.sources, options};
}

}  // namespace impl

/// A Tpetra matrix as an Ashlar operator on the same memory: values, columns and row offsets are shared, and what is
/// written to the values later is multiplied. Tpetra's importer becomes our halo exchange; its column map may be in any
/// order. Collective.
///
/// Where host and device have memories of their own, Tpetra gives out no view of the values on the host while this
/// lives, as for any view that is held: change them on the device.
///
/// Throws   on all ranks: ArgumentError where rows are exported (a range map that is not the row map).
template <class Scalar, class LO, class GO, class Node>
TpetraMatrixOperator<Scalar, LO, GO, Node> from_tpetra(const Tpetra::BlockCrsMatrix<Scalar, LO, GO, Node>& a,
                                                       const ColumnMapOptions& options = {}) {
  return impl::operator_of_matrix(a, options);
}

/// The same of a matrix of single entries, which is fill-complete: blocks of size 1.
///
/// Throws   on all ranks: ArgumentError where it is not fill-complete, too.
template <class Scalar, class LO, class GO, class Node>
TpetraMatrixOperator<Scalar, LO, GO, Node> from_tpetra(const Tpetra::CrsMatrix<Scalar, LO, GO, Node>& a,
                                                       const ColumnMapOptions& options = {}) {
  return impl::operator_of_matrix(a, options);
}

/// A Tpetra matrix as a Tpetra::Operator whose products Ashlar makes: what takes the matrix's place in a program.
/// Collective; throws as from_tpetra().
template <template <class...> class TpetraMatrix, class Scalar, class LO, class GO, class Node>
requires(impl::tpetra_matrix<TpetraMatrix<Scalar, LO, GO, Node>>)
    Teuchos::RCP<const Tpetra::Operator<Scalar, LO, GO, Node>> tpetra_operator(
        const TpetraMatrix<Scalar, LO, GO, Node>& a, const ColumnMapOptions& options = {}) {
  using Op = TpetraOperator<TpetraMatrixOperator<Scalar, LO, GO, Node>, Scalar, LO, GO, Node>;
  return Teuchos::rcp(new Op(from_tpetra(a, options), a.getDomainMap(), a.getRangeMap()));
}

}  // namespace ashlar
