#pragma once

#include <mpi.h>

namespace ashlar::impl {

/// Ends the whole job. For destructors and the like, which cannot throw: says why first, as this rank of `comm`.
[[noreturn]] void abort_mpi(MPI_Comm comm, const char* why) noexcept;

/// Ends the whole job in silence.
[[noreturn]] void abort_mpi(int exit_code) noexcept;

}  // namespace ashlar::impl
