// Solves with rows in an application's own numbering: own nodes first, ghost nodes behind them.
// mpirun -n 3 example_ghost_nodes
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/halo/ghost_exchange.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace {

using Matrix = ashlar::BcsrMatrix<double, ashlar::BlockColumnMajor, std::int32_t, std::int32_t, Kokkos::HostSpace>;

template <class Entry>
Kokkos::View<Entry*, Kokkos::HostSpace> view_of(const std::vector<Entry>& entries) {
  const Kokkos::View<Entry*, Kokkos::HostSpace> view("entries", entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) view(i) = entries[i];
  return view;
}

/// This rank's rows of a chain of nodes with two unknowns each: blocks (3, 0; 0, 3) and (-1, 0; 0, -1).
ashlar::RowsWithGhosts<Matrix> rows_of_chain(std::int64_t begin, std::int64_t end, std::int64_t num_nodes) {
  // The application's numbering: node begin + i is local node i; its neighbours on other ranks come behind.
  std::vector<std::int64_t> global;
  for (std::int64_t node = begin; node < end; ++node) global.push_back(node);
  std::vector<std::int32_t> row_ptr = {0}, columns;
  std::vector<double> values;
  const auto local = [&](std::int64_t node) {
    if (node >= begin && node < end) return std::int32_t(node - begin);
    global.push_back(node);  // a ghost node: in a chain each has one neighbour here
    return std::int32_t(global.size() - 1);
  };
  for (std::int64_t node = begin; node < end; ++node) {
    for (const std::int64_t other : {node - 1, node, node + 1}) {
      if (other < 0 || other >= num_nodes) continue;
      columns.push_back(local(other));
      const double a = other == node ? 3 : -1;
      values.insert(values.end(), {a, 0, 0, a});
    }
    row_ptr.push_back(std::int32_t(columns.size()));
  }
  const Matrix::graph_type graph(std::int32_t(global.size()), view_of(row_ptr), view_of(columns));
  return {Matrix(2, graph, view_of(values)), view_of(global)};
}

bool solves(const ashlar::Communicator& comm) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const std::int64_t num_nodes = 1000;
  const auto partition = ashlar::RowPartition::even(num_nodes, comm.size());
  const std::int64_t begin = partition.begin(comm.rank()), end = partition.end(comm.rank());

  const ashlar::RowsWithGhosts<Matrix> rows = rows_of_chain(begin, end, num_nodes);
  // Matrices share a group of ranks.
  const auto group = std::make_shared<const ashlar::Communicator>(comm.duplicate());
  const ashlar::DistributedMatrix<Matrix> matrix(exec, group, partition, partition, rows);
  const ashlar::DistributedOperator<Matrix, Kokkos::DefaultHostExecutionSpace> a(exec, matrix);
  const ashlar::BlockJacobiPreconditioner<Matrix> preconditioner(exec, matrix.local());

  // b = A (1, ..., 1)
  const Kokkos::View<double*, Kokkos::HostSpace> b("b", 2 * (end - begin)), x("x", 2 * (end - begin));
  for (std::int64_t node = begin; node < end; ++node) {
    for (int k = 0; k < 2; ++k) b(2 * (node - begin) + k) = node == 0 || node == num_nodes - 1 ? 2 : 1;
  }
  const ashlar::SolveReport report = ashlar::cg(exec, a, preconditioner, b, x, {.rtol = 1e-10});

  // The solution at own nodes, then at ghost nodes.
  const std::int64_t num_own = end - begin, num_ghosts = std::int64_t(rows.global_column.extent(0)) - num_own;
  const Kokkos::View<double*, Kokkos::HostSpace> u("u", 2 * (num_own + num_ghosts));
  Kokkos::deep_copy(exec, Kokkos::subview(u, std::pair<std::int64_t, std::int64_t>(0, 2 * num_own)), x);
  const std::span<const std::int64_t> ghosts(rows.global_column.data() + num_own, num_ghosts);
  ashlar::GhostExchange<double, Kokkos::DefaultHostExecutionSpace> exchange(exec, comm, partition, ghosts, 2);
  exchange.fill(exec, u);
  exec.fence();

  double error = 0;
  for (std::size_t i = 0; i < u.extent(0); ++i) error = std::fmax(error, std::fabs(u(i) - 1));
  error = comm.max(error);
  if (comm.rank() == 0) {
    std::printf("%s\n%d iterations, largest error %.1e\n", matrix.explain().c_str(), report.iterations, error);
  }
  return report.status == ashlar::SolveStatus::converged && error < 1e-8;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool is_right = false;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    const ashlar::Communicator comm = ashlar::borrow_mpi(MPI_COMM_WORLD);
    try {
      is_right = solves(comm);
    } catch (const std::exception& error) {
      comm.abort(error.what());
    }
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
