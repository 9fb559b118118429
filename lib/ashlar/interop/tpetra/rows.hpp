#pragma once

#include <Kokkos_Core.hpp>
#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_CrsGraph.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/interop/kokkos_kernels.hpp>
#include <ashlar/interop/tpetra/types.hpp>
#include <type_traits>

// A rank's part of a Tpetra matrix: its rows on their memory, and its graph. `who` begins the message of an error.

namespace ashlar::impl {

template <class Scalar, class LO, class GO, class Node>
const Tpetra::CrsGraph<LO, GO, Node>& graph_of(const Tpetra::BlockCrsMatrix<Scalar, LO, GO, Node>& a) {
  return a.getCrsGraph();
}

template <class Scalar, class LO, class GO, class Node>
const Tpetra::CrsGraph<LO, GO, Node>& graph_of(const Tpetra::CrsMatrix<Scalar, LO, GO, Node>& a) {
  return *a.getCrsGraph();
}

template <class Scalar, class LO, class GO, class Node>
bcsr_of_tpetra<Scalar, LO, GO, Node> rows_of(const Tpetra::BlockCrsMatrix<Scalar, LO, GO, Node>& a, const char*) {
  using Block = typename Tpetra::BlockCrsMatrix<Scalar, LO, GO, Node>::little_block_type;
  static_assert(
      std::is_same_v<typename Block::array_layout, Kokkos::LayoutRight>,
      "ashlar: this Tpetra stores blocks by columns, and its own products read them by rows; build Trilinos with "
      "-D Tpetra_ENABLE_BLOCKCRS_LITTLEBLOCK_LAYOUTLEFT=OFF");
  return from_kokkos_kernels(a.getLocalMatrixDevice());
}

/// Throws   ArgumentError if the matrix is not fill-complete.
template <class Scalar, class LO, class GO, class Node>
bcsr_of_tpetra<Scalar, LO, GO, Node> rows_of(const Tpetra::CrsMatrix<Scalar, LO, GO, Node>& a, const char* who) {
  if (!a.isFillComplete()) {
    throw ArgumentError(text(who, ": a CrsMatrix that is being filled"), "its structure may still change",
                        "call fillComplete() before");
  }
  return from_kokkos_kernels(a.getLocalMatrixDevice());
}

/// A BlockCrsMatrix or a CrsMatrix.
template <class A>
concept tpetra_matrix = requires(const A& a) {
  rows_of(a, "");
};

/// Collective.
///
/// Throws   on all ranks: ArgumentError if sums of rows have to be exported.
template <class LO, class GO, class Node>
void check_rows_are_in_range(const Communicator& comm, const Tpetra::CrsGraph<LO, GO, Node>& graph, const char* who) {
  comm.together([&] {
    if (graph.getExporter().is_null()) return;
    throw ArgumentError(text(who, ": a matrix whose rows are not those of its range map"),
                        "their sums would have to be exported, which Ashlar does not do",
                        "give the range map of the matrix as its row map");
  });
}

}  // namespace ashlar::impl
