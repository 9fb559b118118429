#include <mpi.h>

#include <ashlar/comm/mpi/communicator.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool all_are_here = false;
  {
    const ashlar::Communicator comm = ashlar::borrow_mpi(MPI_COMM_WORLD);
    all_are_here = comm.sum(1) == comm.size();
    if (comm.rank() == 0) std::printf("%s\n", comm.explain().c_str());
  }
  MPI_Finalize();
  return all_are_here ? 0 : 1;
}
