#pragma once

#include <mpi.h>

namespace ashlar::impl {

/// Every call of MPI goes through here: throws a CommError with MPI's own text where `code` is not MPI_SUCCESS. `call`
/// is the name of the function.
void check_mpi(int code, const char* call);

/// Whether MPI may be called: initialised, and not ended.
bool mpi_is_alive();

}  // namespace ashlar::impl
