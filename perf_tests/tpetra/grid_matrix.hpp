#pragma once

#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <cmath>
#include <vector>

namespace ashlar::perf {

using TpetraMatrix = Tpetra::BlockCrsMatrix<>;

/// Nodes of a grid of n along each side, tied to all around them: 27 blocks a row, of any values.
inline Teuchos::RCP<TpetraMatrix> grid_matrix(int n, int block_size) {
  using Map = Tpetra::Map<>;
  using GO = Map::global_ordinal_type;
  const Teuchos::RCP<const Map> map = rcp(new Map(Tpetra::global_size_t(n) * n * n, 0, Tpetra::getDefaultComm()));
  Tpetra::CrsGraph<> graph(map, 27);
  std::vector<GO> columns;
  for (GO node = 0; node < GO(map->getLocalNumElements()); ++node) {
    columns.clear();
    const int x = node % n, y = node / n % n, z = node / n / n;
    for (int k = std::max(z - 1, 0); k <= std::min(z + 1, n - 1); ++k) {
      for (int j = std::max(y - 1, 0); j <= std::min(y + 1, n - 1); ++j) {
        for (int i = std::max(x - 1, 0); i <= std::min(x + 1, n - 1); ++i) columns.push_back((GO(k) * n + j) * n + i);
      }
    }
    graph.insertGlobalIndices(node, Teuchos::ArrayView<const GO>(columns.data(), int(columns.size())));
  }
  graph.fillComplete();
  const auto matrix = rcp(new TpetraMatrix(graph, block_size));
  const auto values = matrix->getValuesHostNonConst();
  for (std::size_t i = 0; i < values.extent(0); ++i) values(i) = std::cos(double(i));
  return matrix;
}

}  // namespace ashlar::perf
