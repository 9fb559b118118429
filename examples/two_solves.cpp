// Two solves at once, by two threads: each has a communicator and an execution-space instance of its own. mpirun -n 2
// example_two_solves
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstdio>
#include <exception>
#include <optional>
#include <thread>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = ashlar::BcsrMatrix<double>;

/// Instances for work that may run at the same time. (partition_space() of OpenMP gives the default one twice, unless
/// parallel regions may nest.)
std::array<Exec, 2> two_instances() {
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  return {Kokkos::OpenMP(1), Kokkos::OpenMP(1)};
#else
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  return {instances[0], instances[1]};
#endif
}

/// A beam of this stiffness under the same load: how far its end moves down.
double deflection(const Exec& exec, const ashlar::Communicator& comm, double youngs_modulus) {
  const ashlar::problems::Cantilever beam{
      .nodes = {41, 5, 5}, .youngs_modulus = youngs_modulus, .traction = {0, 0, -1e6}};
  const auto partition = ashlar::RowPartition::even(ashlar::problems::cantilever_grid(beam).num_nodes(), comm.size());
  const ashlar::problems::RowRange own{partition.begin(comm.rank()), partition.end(comm.rank())};
  const ashlar::DistributedOperator<Matrix> a(exec, comm, partition,
                                              ashlar::problems::cantilever_matrix<Matrix>(exec, beam, own));
  const auto b = ashlar::problems::cantilever_load<double>(exec, beam, own);
  const ashlar::BlockJacobiPreconditioner<Matrix> preconditioner(exec, a.own_matrix());
  const Kokkos::View<double*> x("x", b.extent(0));
  const ashlar::SolveReport report = ashlar::cg(exec, a, preconditioner, b, x, {.rtol = 1e-8});

  double end = 0;  // the last unknown of all is the displacement of a corner of the end
  if (own.end == partition.num_rows() && own.size() > 0) {
    Kokkos::deep_copy(exec, Kokkos::View<double, Kokkos::HostSpace>(&end), Kokkos::subview(x, x.extent(0) - 1));
    exec.fence();
  }
  end = comm.sum(end);
  return report.status == ashlar::SolveStatus::converged ? -end : 0;
}

/// True if a beam of half the stiffness bends twice as far, when both are solved simultaneously.
bool solve_two(const ashlar::Communicator& comm) {
  const std::array<ashlar::Communicator, 2> of_thread = {comm.duplicate(), comm.duplicate()};
  const std::array<Exec, 2> instances = two_instances();
  std::array<double, 2> down = {0, 0};
  const auto solve = [&](int k) {
    try {
      down[k] = deflection(instances[k], of_thread[k], k == 0 ? 200e9 : 100e9);
    } catch (const std::exception& error) {
      comm.abort(error.what());  // the others would wait for this rank
    }
  };
  std::thread first(solve, 0), second(solve, 1);
  first.join();
  second.join();
  if (comm.rank() == 0) std::printf("the end moves down by %.3f mm, and by %.3f mm\n", 1e3 * down[0], 1e3 * down[1]);
  return down[0] > 0 && down[1] > 1.999 * down[0] && down[1] < 2.001 * down[0];
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<ashlar::MpiSession> mpi;
  try {
    mpi.emplace(MPI_THREAD_MULTIPLE);  // each thread sends messages of its own
  } catch (const ashlar::CommError& error) {
    std::printf("%s\n", error.what());  // this MPI serves one thread at a time
    return 77;
  }
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return solve_two(mpi->world()) ? 0 : 1;
}
