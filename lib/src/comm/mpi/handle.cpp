#include "handle.hpp"

#include "check.hpp"

namespace ashlar::impl {

MpiHandle::MpiHandle(MPI_Comm comm) : comm_(comm) {
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

MpiHandle::~MpiHandle() {
  if (mpi_is_alive()) MPI_Comm_free(&comm_);
}

}  // namespace ashlar::impl
