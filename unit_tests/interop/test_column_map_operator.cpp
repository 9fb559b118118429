#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block_coo.hpp>
#include <ashlar/interop/column_map_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/compare.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
// As Tpetra has them.
using Matrix = BcsrMatrix<double, BlockRowMajor, int, std::size_t>;

/// Each rank has `own` nodes, and a row for each: its own node, the next one of the ring, and one of the rank before.
/// Columns are numbered backwards, so that none is where it is in x; those of others come first.
struct Ring {
  int own, block_size, ranks;

  int nodes() const { return own * ranks; }
  static double entry(int i, int j, int r, int c) {
    return (i == j && r == c ? 7 + 0.1 * i : 0.) + std::sin(1. + i + 2.3 * j + 0.7 * r + 5.1 * c);
  }
  std::vector<int> neighbours(int i) const { return {i, (i + 1) % nodes(), (i - own + nodes()) % nodes()}; }

  /// Nodes of others that `rank` needs, those of one rank ascending, by rank.
  std::vector<int> needed(int rank) const {
    std::vector<int> list;
    for (int node = 0; node < nodes(); ++node) {
      bool is_needed = false;
      for (int i = rank * own; i < (rank + 1) * own; ++i) {
        for (const int j : neighbours(i)) is_needed = is_needed || j == node;
      }
      if (is_needed && node / own != rank) list.push_back(node);
    }
    return list;
  }
};

ColumnMapOperator<Matrix> make_operator(const Exec& exec, const Communicator& comm, const Ring& ring,
                                        const ColumnMapOptions& options = {}) {
  const int rank = comm.rank();
  const std::vector<int> needed = ring.needed(rank);
  const int columns = ring.own + static_cast<int>(needed.size());
  const auto column_of = [&](int node) {
    if (node / ring.own == rank) return columns - 1 - node % ring.own;
    return static_cast<int>(needed.end() - std::find(needed.begin(), needed.end(), node)) - 1;
  };
  BlockCoo<double, int> coo;
  coo.num_block_rows = ring.own;
  coo.num_block_cols = columns;
  coo.block_size = ring.block_size;
  for (int i = 0; i < ring.own; ++i) {
    for (const int j : ring.neighbours(rank * ring.own + i)) {
      coo.rows.push_back(i);
      coo.cols.push_back(column_of(j));
      for (int c = 0; c < ring.block_size; ++c) {
        for (int r = 0; r < ring.block_size; ++r) coo.values.push_back(Ring::entry(rank * ring.own + i, j, r, c));
      }
    }
  }
  std::vector<std::int64_t> receive(std::size_t(comm.size()), 0);
  for (const int node : needed) ++receive[std::size_t(node / ring.own)];
  std::vector<std::vector<std::int64_t>> send(std::size_t(comm.size()));
  for (int to = 0; to < comm.size(); ++to) {
    for (const int node : to == rank ? std::vector<int>{} : ring.needed(to)) {
      if (node / ring.own == rank) send[std::size_t(to)].push_back(node % ring.own);
    }
  }
  ColumnSources sources;
  for (int i = 0; i < ring.own; ++i) sources.own.add(column_of(rank * ring.own + i), i);
  for (std::size_t k = 0; k < needed.size(); ++k) sources.halo.add(column_of(needed[k]), std::int64_t(k));
  return {exec,    comm,   bcsr_from_block_coo<Matrix>(exec, coo), HaloPlan::from_lists(comm, ring.own, receive, send),
          sources, options};
}

template <class Layout>
void expect_products(const Exec& exec, const ColumnMapOperator<Matrix>& a, const Ring& ring, int rank,
                     int num_vectors) {
  const int b = ring.block_size, rows = ring.own * b;
  const auto x_of = [&](int unknown, int vector) { return std::cos(0.3 * unknown + vector); };
  const Kokkos::View<double**, Layout, Space> x("x", rows, num_vectors), y("y", rows, num_vectors);
  const auto host = Kokkos::create_mirror_view(x);
  for (const double beta : {0., 2.}) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < num_vectors; ++j) host(i, j) = x_of(rank * rows + i, j);
    }
    Kokkos::deep_copy(exec, x, host);
    Kokkos::deep_copy(exec, y, beta == 0 ? std::numeric_limits<double>::quiet_NaN() : 3);
    a.apply(exec, 0.5, x, beta, y);
    Kokkos::deep_copy(exec, host, y);
    exec.fence();
    for (int i = 0; i < rows; ++i) {
      for (int vector = 0; vector < num_vectors; ++vector) {
        const int node = rank * ring.own + i / b;
        double sum = beta == 0 ? 0 : beta * 3;
        for (const int j : ring.neighbours(node)) {
          for (int c = 0; c < b; ++c) sum += 0.5 * Ring::entry(node, j, i % b, c) * x_of(j * b + c, vector);
        }
        ASSERT_NEAR(host(i, vector), sum, 1e-12) << "rank " << rank << ", row " << i << ", vector " << vector;
      }
    }
  }
}

TEST(ColumnMapOperator, GathersColumnsInAnyOrder) {
  for (const int ranks : {1, 2, 4}) {
    for (const int block_size : {1, 3}) {
      run_ranks(ranks, [&](const Communicator& comm) {
        const Exec exec = rank_instance<Exec>();
        const Ring ring{5, block_size, ranks};
        const auto a = make_operator(exec, comm, ring);
        EXPECT_EQ(a.space().num_global(), ring.nodes() * block_size);
        for (const int num_vectors : {1, 3}) {
          expect_products<Kokkos::LayoutLeft>(exec, a, ring, comm.rank(), num_vectors);
          expect_products<Kokkos::LayoutRight>(exec, a, ring, comm.rank(), num_vectors);
        }
      });
    }
  }
}

TEST(ColumnMapOperator, RefusesOnAllRanksWhatOneCannotTake) {
  run_ranks(2, [](const Communicator& comm) {
    const Exec exec = rank_instance<Exec>();
    const Ring ring{4, 2, 2};
    const auto a = make_operator(exec, comm, ring);
    ColumnSources lacking;
    if (comm.rank() == 0) lacking.own.add(0, 99);
    EXPECT_THROW(ColumnMapOperator<Matrix>(exec, comm, a.matrix(), a.halo_plan(), lacking), Error);
    // A vector that is too short is the rank's own fault, found before anything is sent: the others are still in step.
    const Kokkos::View<double*, Space> x("x", 3), y("y", 8);
    EXPECT_THROW(a.apply(exec, x, y), ShapeError);
    expect_products<Kokkos::LayoutLeft>(exec, a, ring, comm.rank(), 1);
  });
}

/// What a preconditioner makes of cos(unknown + vector), of this many unknowns from `first` on.
template <class Preconditioner>
std::vector<double> preconditioned(const Exec& exec, const Preconditioner& m, int first, int rows, int num_vectors) {
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> r("r", rows, num_vectors), z("z", rows, num_vectors);
  const auto host = Kokkos::create_mirror_view(r);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < num_vectors; ++j) host(i, j) = std::cos(double(first + i) + j);
  }
  Kokkos::deep_copy(exec, r, host);
  m.apply(exec, r, z);
  Kokkos::deep_copy(exec, host, z);
  exec.fence();
  std::vector<double> result;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < num_vectors; ++j) result.push_back(host(i, j));
  }
  return result;
}

/// The preconditioner of each rank's diagonal is, on its rows, that of the whole ring's.
template <class Preconditioner>
void expect_as_on_one_rank(const Exec& exec, const ColumnMapOperator<Matrix>& a, const Ring& ring, int rank) {
  const int b = ring.block_size, rows = ring.own * b, num_vectors = 2;
  BlockCoo<double, int> coo;
  coo.num_block_rows = coo.num_block_cols = ring.nodes();
  coo.block_size = b;
  for (int i = 0; i < ring.nodes(); ++i) {
    for (const int j : ring.neighbours(i)) {
      if (j != i) continue;  // (twice on one rank, which adds up)
      coo.rows.push_back(i);
      coo.cols.push_back(j);
      for (int c = 0; c < b; ++c) {
        for (int r = 0; r < b; ++r) coo.values.push_back(Ring::entry(i, j, r, c));
      }
    }
  }
  const Preconditioner whole(exec, bcsr_from_block_coo<Matrix>(exec, coo));
  const Preconditioner own(exec, diagonal_blocks(exec, a));
  const auto expected = preconditioned(exec, whole, 0, ring.nodes() * b, num_vectors);
  const auto begin = expected.begin() + rank * rows * num_vectors;
  EXPECT_EQ(preconditioned(exec, own, rank * rows, rows, num_vectors),
            std::vector<double>(begin, begin + rows * num_vectors));
}

TEST(ColumnMapOperator, HasTheDiagonalOfItsRowsWhereverTheColumnsAre) {
  for (const int ranks : {1, 2, 3}) {
    for (const int block_size : {1, 3}) {
      run_ranks(ranks, [&](const Communicator& comm) {
        const Exec exec = rank_instance<Exec>();
        const Ring ring{12 / ranks, block_size, ranks};
        const auto a = make_operator(exec, comm, ring);
        if (ranks > 1) {
          EXPECT_THROW(BlockJacobiPreconditioner<Matrix>(exec, a.matrix()), ShapeError);  // (ghost columns)
        }
        expect_as_on_one_rank<JacobiPreconditioner<Matrix>>(exec, a, ring, comm.rank());
        expect_as_on_one_rank<BlockJacobiPreconditioner<Matrix>>(exec, a, ring, comm.rank());
      });
    }
  }
}

TEST(ColumnMapOperator, NamesTheRowWithoutADiagonalBlock) {
  run_ranks(2, [](const Communicator& comm) {
    const Exec exec = rank_instance<Exec>();
    // Each rank has two rows. Row 1 reads entry 0 alone; entry 1 has no column.
    BlockCoo<double, int> coo;
    coo.num_block_rows = 2;
    coo.num_block_cols = 1;
    coo.block_size = 1;
    coo.rows = {0, 1};
    coo.cols = {0, 0};
    coo.values = {2, 3};
    ColumnSources sources;
    sources.own.add(0, 0);
    const std::vector<std::int64_t> receive(2, 0);
    const ColumnMapOperator<Matrix> a(exec, comm, bcsr_from_block_coo<Matrix>(exec, coo),
                                      HaloPlan::from_lists(comm, 2, receive, std::vector<std::vector<std::int64_t>>(2)),
                                      sources);
    try {
      BlockJacobiPreconditioner<Matrix>(exec, diagonal_blocks(exec, a));
      ADD_FAILURE() << "row 1 has a diagonal";
    } catch (const NumericalError& error) {
      EXPECT_EQ(error.row(), 1);
    }
    // More entries of x than rows: no square operator.
    const ColumnMapOperator<Matrix> wide(
        exec, comm, bcsr_from_block_coo<Matrix>(exec, coo),
        HaloPlan::from_lists(comm, 3, receive, std::vector<std::vector<std::int64_t>>(2)), sources);
    EXPECT_THROW(diagonal_blocks(exec, wide), ShapeError);
  });
}

}  // namespace
}  // namespace ashlar::testing
