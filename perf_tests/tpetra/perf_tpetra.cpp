// perf_tpetra: a product with a Tpetra::BlockCrsMatrix by Tpetra, and by Ashlar on the same memory, in turns, by block
// size. Built with the installed package (unit_tests/interop/programs), for the host: perf_tpetra [MB [ROUNDS]] > FILE
//
// Nodes of a grid, tied to all around them: 27 blocks a row. Times are those of the processor that this thread had:
// others may use the machine. Each product is checked against Tpetra's before it is timed.
#include <time.h>

#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <ashlar/base/version.hpp>
#include <ashlar/interop/tpetra.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using Teuchos::RCP;
using Teuchos::rcp;
using Map = Tpetra::Map<>;
using GO = Map::global_ordinal_type;
using Vectors = Tpetra::MultiVector<>;
using Operator = Tpetra::Operator<>;
using Matrix = Tpetra::BlockCrsMatrix<>;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

RCP<Matrix> grid_matrix(int n, int block_size) {
  const RCP<const Map> map = rcp(new Map(Tpetra::global_size_t(n) * n * n, 0, Tpetra::getDefaultComm()));
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
  const auto matrix = rcp(new Matrix(graph, block_size));
  const auto values = matrix->getValuesHostNonConst();
  for (std::size_t i = 0; i < values.extent(0); ++i) values(i) = std::cos(double(i));
  return matrix;
}

/// The seconds of a product, of the median round, by turns.
std::vector<double> medians(const std::vector<RCP<const Operator>>& products, int rounds, std::size_t num_vectors) {
  const auto map = products[0]->getDomainMap();
  Vectors x(map, num_vectors), y(map, num_vectors), expected(map, num_vectors);
  x.randomize();
  products[0]->apply(x, expected);
  std::vector<double> norms(num_vectors), largest(num_vectors);
  expected.normInf(Teuchos::ArrayView<double>(largest.data(), int(num_vectors)));
  for (const auto& product : products) {
    product->apply(x, y);
    y.update(-1, expected, 1);
    y.normInf(Teuchos::ArrayView<double>(norms.data(), int(num_vectors)));
    for (std::size_t j = 0; j < num_vectors; ++j) {
      if (!(norms[j] < 1e-12 * largest[j])) std::exit(1);
    }
  }
  std::vector<std::vector<double>> seconds(products.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t p = 0; p < products.size(); ++p) {
      const double begin = processor_seconds();
      products[p]->apply(x, y);
      seconds[p].push_back(processor_seconds() - begin);
    }
  }
  std::vector<double> result;
  for (auto& list : seconds) {
    std::nth_element(list.begin(), list.begin() + list.size() / 2, list.end());
    result.push_back(list[list.size() / 2]);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  const double megabytes = argc > 1 ? std::atof(argv[1]) : 100;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 21;
  std::printf("{\"context\": {\"ashlar\": \"%s\", \"kokkos\": %d, \"execution_space\": \"%s\"},\n \"results\": [",
              ashlar::version_string, KOKKOS_VERSION, Vectors::execution_space::name());
  const char* comma = "\n";
  for (int b = 1; b <= 8; ++b) {
    const int n = std::max(4, int(std::cbrt(megabytes * 1e6 / (27 * (8. * b * b + 4)))));
    const auto matrix = grid_matrix(n, b);
    const auto ours = ashlar::tpetra_operator(*matrix);
    for (const int num_vectors : {1, 4}) {
      const std::vector<double> us = medians({matrix, ours}, rounds, std::size_t(num_vectors));
      std::printf(
          "%s  {\"block_size\": %d, \"num_vectors\": %d, \"num_block_rows\": %d, \"tpetra_us\": %.1f, \"ashlar_us\": "
          "%.1f}",
          comma, b, num_vectors, n * n * n, 1e6 * us[0], 1e6 * us[1]);
      std::fflush(stdout);
      comma = ",\n";
    }
  }
  std::printf("\n ]}\n");
  return 0;
}
