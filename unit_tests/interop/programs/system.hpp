#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <ashlar/bcsr/block_coo.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ashlar::testing {

using Exec = Tpetra::Map<>::device_type::execution_space;
using LO = Tpetra::Map<>::local_ordinal_type;
using GO = Tpetra::Map<>::global_ordinal_type;
using MeshMap = Tpetra::Map<>;
using Vectors = Tpetra::MultiVector<>;
using BlockMatrix = Tpetra::BlockCrsMatrix<>;
using Rows = BcsrMatrix<double, BlockRowMajor, LO>;

inline Teuchos::RCP<const Teuchos::Comm<int>> all_ranks() {
  return Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
}

/// A symmetric positive definite system of blocks, entry by entry: nodes on a ring, each tied to the next two and to
/// one on the other side, so that ranks need of several others what does not lie together.
struct System {
  int nodes, block_size;

  std::vector<int> neighbours(int i) const {
    std::vector<int> list;
    for (const int step : {0, 1, 2, nodes - 1, nodes - 2, nodes / 2, nodes - nodes / 2})
      list.push_back((i + step) % nodes);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  double entry(int i, int j, int r, int c) const {
    if (i == j && r == c) return 10. * block_size + 0.01 * i + r;
    // The same for (j, i, c, r).
    const int a = i * block_size + r, b = j * block_size + c;
    return std::sin(1. + std::min(a, b) + 3.7 * std::max(a, b));
  }

  /// Block rows [begin, end), with global columns.
  Rows rows(int begin, int end) const {
    BlockCoo<double, LO> coo;
    coo.num_block_rows = end - begin;
    coo.num_block_cols = nodes;
    coo.block_size = block_size;
    for (int i = begin; i < end; ++i) {
      for (const int j : neighbours(i)) {
        coo.rows.push_back(i - begin);
        coo.cols.push_back(j);
        for (int c = 0; c < block_size; ++c) {
          for (int r = 0; r < block_size; ++r) coo.values.push_back(entry(i, j, r, c));
        }
      }
    }
    return bcsr_from_block_coo<Rows>(Exec(), coo);
  }

  RowPartition partition(int ranks) const { return RowPartition::even(nodes, ranks); }
  Rows rows_of(int rank, int ranks) const {
    const RowPartition parts = partition(ranks);
    return rows(static_cast<int>(parts.begin(rank)), static_cast<int>(parts.end(rank)));
  }

  /// As a Trilinos program makes it: a graph of nodes, and blocks that are put in.
  Teuchos::RCP<BlockMatrix> assembled(const Teuchos::RCP<const MeshMap>& map) const { return assembled(map, map); }

  /// The same for vectors x of another map.
  Teuchos::RCP<BlockMatrix> assembled(const Teuchos::RCP<const MeshMap>& map,
                                      const Teuchos::RCP<const MeshMap>& domain) const {
    Tpetra::CrsGraph<> graph(map, 8);
    const auto mine = static_cast<LO>(map->getLocalNumElements());
    for (LO i = 0; i < mine; ++i) {
      const GO row = map->getGlobalElement(i);
      const std::vector<int> list = neighbours(static_cast<int>(row));
      const std::vector<GO> columns(list.begin(), list.end());
      graph.insertGlobalIndices(row, Teuchos::ArrayView<const GO>(columns.data(), int(columns.size())));
    }
    graph.fillComplete(domain, map);
    const auto matrix = Teuchos::rcp(new BlockMatrix(graph, block_size));
    std::vector<double> block(std::size_t(block_size) * block_size);
    for (LO i = 0; i < mine; ++i) {
      const int row = static_cast<int>(map->getGlobalElement(i));
      for (const int column : neighbours(row)) {
        for (int r = 0; r < block_size; ++r) {
          for (int c = 0; c < block_size; ++c) block[std::size_t(r * block_size + c)] = entry(row, column, r, c);
        }
        const LO local = matrix->getColMap()->getLocalElement(column);
        matrix->replaceLocalValues(i, &local, block.data(), 1);
      }
    }
    return matrix;
  }

  /// The same, entry by entry.
  Teuchos::RCP<Tpetra::CrsMatrix<>> assembled_scalars(const Teuchos::RCP<const MeshMap>& map) const {
    const auto matrix = Teuchos::rcp(new Tpetra::CrsMatrix<>(map, std::size_t(8) * block_size));
    for (LO i = 0; i < static_cast<LO>(map->getLocalNumElements()); ++i) {
      const int row = static_cast<int>(map->getGlobalElement(i));
      std::vector<GO> columns;
      std::vector<double> values;
      for (const int node : neighbours(row / block_size)) {
        for (int c = 0; c < block_size; ++c) {
          columns.push_back(node * block_size + c);
          values.push_back(entry(row / block_size, node, row % block_size, c));
        }
      }
      matrix->insertGlobalValues(row, Teuchos::ArrayView<const GO>(columns.data(), int(columns.size())),
                                 Teuchos::ArrayView<const double>(values.data(), int(values.size())));
    }
    matrix->fillComplete();
    return matrix;
  }

  /// Nodes dealt as `partition` says.
  Teuchos::RCP<const MeshMap> contiguous_map() const {
    const auto comm = all_ranks();
    const std::size_t mine = std::size_t(partition(comm->getSize()).size(comm->getRank()));
    return Teuchos::rcp(new MeshMap(Tpetra::global_size_t(nodes), mine, 0, comm));
  }

  /// Nodes (or, with a factor, unknowns) dealt like cards, the last first.
  Teuchos::RCP<const MeshMap> dealt_map(int factor = 1) const {
    const auto comm = all_ranks();
    std::vector<GO> mine;
    for (int i = nodes * factor - 1; i >= 0; --i) {
      if (i % comm->getSize() == comm->getRank()) mine.push_back(i);
    }
    return Teuchos::rcp(new MeshMap(Tpetra::global_size_t(nodes) * factor,
                                    Teuchos::ArrayView<const GO>(mine.data(), int(mine.size())), 0, comm));
  }

  /// What every rank can say for itself of x: entry (unknown, vector).
  static double x(GO unknown, std::size_t vector) { return std::cos(0.3 * double(unknown) + double(vector)); }

  /// (A x)(unknown, vector).
  double product(GO unknown, std::size_t vector) const {
    const int i = static_cast<int>(unknown) / block_size, r = static_cast<int>(unknown) % block_size;
    double sum = 0;
    for (const int j : neighbours(i)) {
      for (int c = 0; c < block_size; ++c) sum += entry(i, j, r, c) * x(GO(j) * block_size + c, vector);
    }
    return sum;
  }
};

/// Fills x with System::x.
inline void fill(Vectors& x) {
  const auto view = x.getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t j = 0; j < view.extent(1); ++j) {
    for (std::size_t i = 0; i < view.extent(0); ++i) view(i, j) = System::x(x.getMap()->getGlobalElement(LO(i)), j);
  }
}

}  // namespace ashlar::testing
