// Solves for a steel beam on any number of ranks, each of which builds its own part: mpirun -n 4 example_distributed
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstdio>
#include <exception>

namespace {

bool bends_as_it_should(const ashlar::Communicator& comm) {
  const Kokkos::DefaultExecutionSpace exec;
  using Matrix = ashlar::BcsrMatrix<double>;
  const ashlar::problems::Cantilever beam{
      .nodes = {81, 9, 9}, .dof = 3, .youngs_modulus = 200e9, .traction = {0, 0, -1e6}};

  // Equally many nodes for each rank. Of their rows this one makes its own; columns are numbered as in the whole.
  const auto partition = ashlar::RowPartition::even(ashlar::problems::cantilever_grid(beam).num_nodes(), comm.size());
  const ashlar::problems::RowRange own{partition.begin(comm.rank()), partition.end(comm.rank())};
  const ashlar::DistributedOperator<Matrix> a(exec, comm, partition,
                                              ashlar::problems::cantilever_matrix<Matrix>(exec, beam, own));
  const auto b = ashlar::problems::cantilever_load<double>(exec, beam, own);
  const ashlar::BlockJacobiPreconditioner<Matrix> preconditioner(exec, a.own_matrix());
  const Kokkos::View<double*> x("x", b.extent(0));

  // From here on, as on one.
  const ashlar::SolveReport report = ashlar::cg(exec, a, preconditioner, b, x, {.rtol = 1e-8});

  // The last unknown is the last node's displacement along z: at a corner of the end that moves.
  double deflection = 0;
  if (own.end == partition.num_rows() && own.size() > 0) {
    Kokkos::deep_copy(deflection, Kokkos::subview(x, x.extent(0) - 1));
  }
  deflection = comm.sum(deflection);
  if (comm.rank() == 0) {
    std::printf("%s\n%d iterations on %d ranks; the end moves down by %.2f mm, that of a thin beam by 20 mm\n",
                a.explain().c_str(), report.iterations, comm.size(), -1e3 * deflection);
  }
  return report.status == ashlar::SolveStatus::converged && deflection < -0.019 && deflection > -0.021;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool is_right = false;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    // Any communicator of the program's; here one of all ranks. Its messages and ours never meet.
    MPI_Comm mine = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &mine);
    {
      const ashlar::Communicator comm = ashlar::borrow_mpi(mine);
      try {
        is_right = bends_as_it_should(comm);
      } catch (const std::exception& error) {
        comm.abort(error.what());  // the others would wait for this rank
      }
    }
    MPI_Comm_free(&mine);
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
