#include "abort.hpp"

#include <unistd.h>

#include <ashlar/base/text.hpp>
#include <cstdlib>
#include <string>

#include "check.hpp"

namespace ashlar::impl {

void abort_mpi(MPI_Comm comm, const char* why) noexcept {
  int rank = 0;
  if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS) rank = -1;
  const std::string line = text("ashlar: rank ", rank, ": ", why, "\n");
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  abort_mpi(1);
}

void abort_mpi(int exit_code) noexcept {
  // Not our duplicate: ranks outside it belong to the job, too.
  if (mpi_is_alive()) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace ashlar::impl
