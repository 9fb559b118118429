// Belos' block CG over a matrix that stays in the host's memory and is streamed to the device by Ashlar: a beam under
// four loads at once, on any number of ranks. mpirun -n 2 example_belos_streamed
#include <BelosLinearProblem.hpp>
#include <BelosSolverFactory_Tpetra.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Kokkos_Core.hpp>
#include <Tpetra_Core.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/interop/tpetra.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstdio>
#include <vector>

namespace {

using Teuchos::RCP;
using Teuchos::rcp;
using Vectors = Tpetra::MultiVector<>;
using Exec = Vectors::execution_space;
using Matrix = ashlar::BcsrMatrix<double, ashlar::BlockColumnMajor, int, int, Exec::memory_space>;
using Streamed = ashlar::DistributedOperator<Matrix, Exec>;
constexpr int num_loads = 4;

/// Row by row, the loads that gravity makes of the beam, turned into four directions.
void fill_loads(const Kokkos::View<double*, Exec::memory_space>& load, const Vectors::dual_view_type::t_dev& b) {
  Kokkos::parallel_for(
      "loads", Kokkos::RangePolicy<Exec>(0, load.extent(0)), KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < num_loads; ++j) b(i, j) = load(i / 3 * 3 + (i % 3 + j) % 3) * (j == 3 ? 2 : 1) + 1e-3 * j;
      });
}

bool solves_as_it_should() {
  const Exec exec;
  const auto ranks = Tpetra::getDefaultComm();
  const ashlar::Communicator comm = ashlar::from_teuchos(*ranks);
  const ashlar::problems::Cantilever beam{.nodes = {21, 5, 5}, .weight = 1e-3};
  const auto partition = ashlar::RowPartition::even(ashlar::problems::cantilever_grid(beam).num_nodes(), comm.size());
  const ashlar::problems::RowRange own{partition.begin(comm.rank()), partition.end(comm.rank())};

  // The rows stay where they are made. On a device: as much of it as `device_memory_limit` says is used; 0: what is
  // free.
  const auto rows =
      ashlar::problems::cantilever_matrix<Streamed::host_type>(Kokkos::DefaultHostExecutionSpace(), beam, own);
  Kokkos::DefaultHostExecutionSpace().fence();
  ashlar::DistributedOptions options;
  options.spmv.num_vectors = num_loads;
  options.streaming = ashlar::StreamingOptions{};
  const auto map = ashlar::tpetra_map(ranks, partition, 3);
  const auto a = ashlar::tpetra_operator(Streamed(exec, comm, partition, rows, options), map);

  const auto x = rcp(new Vectors(map, num_loads)), b = rcp(new Vectors(map, num_loads));
  fill_loads(ashlar::problems::cantilever_load<double, Exec::memory_space>(exec, beam, own),
             b->getLocalViewDevice(Tpetra::Access::OverwriteAll));
  using Operator = Tpetra::Operator<>;
  const auto problem = rcp(new Belos::LinearProblem<double, Vectors, Operator>(a, x, b));
  problem->setProblem();
  const auto list = Teuchos::parameterList();
  list->set("Block Size", num_loads);
  list->set("Convergence Tolerance", 1e-8);
  list->set("Maximum Iterations", 1000);
  const auto solver = Belos::SolverFactory<double, Vectors, Operator>().create("BLOCK CG", list);
  solver->setProblem(problem);
  const bool is_solved = solver->solve() == Belos::Converged;

  // The true residuals, in place of what the solver says of itself.
  Vectors residual(*b, Teuchos::Copy);
  a->apply(*x, residual, Teuchos::NO_TRANS, -1, 1);
  std::vector<double> norms(num_loads), loads(num_loads);
  residual.norm2(Teuchos::ArrayView<double>(norms.data(), num_loads));
  b->norm2(Teuchos::ArrayView<double>(loads.data(), num_loads));
  if (comm.rank() == 0) {
    std::printf("%s\n%s after %d steps\n", a->op().explain().c_str(), is_solved ? "solved" : "not solved",
                solver->getNumIters());
    for (int j = 0; j < num_loads; ++j) std::printf("load %d: residual %.1e\n", j, norms[j] / loads[j]);
  }
  for (int j = 0; j < num_loads; ++j) {
    if (!(norms[j] < 1e-7 * loads[j])) return false;
  }
  return is_solved;
}

}  // namespace

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  return solves_as_it_should() ? 0 : 1;
}
