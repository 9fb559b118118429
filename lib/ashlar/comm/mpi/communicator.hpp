#pragma once

#include <mpi.h>

#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/mpi/session.hpp>
#include <cstddef>

namespace ashlar {

struct MpiOptions {
  /// Longer messages travel in pieces of so many bytes. MPI counts to 2^31-1; tests take less.
  std::size_t largest_piece = std::size_t{1} << 30;
};

/// The ranks of an MPI communicator of the caller's. Collective over it.
///
/// Messages go through a duplicate, which is freed with what is returned: no message of the caller's, whatever its tag,
/// meets one of ours. The caller's communicator may be freed at any time. MPI's errors on the duplicate are exceptions.
///
/// While it waits a rank polls, and sleeps between polls once it has waited for a while: others may use the processor.
///
/// Throws   CommError where MPI is not initialised, or has ended; ArgumentError for a communicator that is null or
///          joins two groups.
Communicator borrow_mpi(MPI_Comm comm, MpiOptions options = {});

}  // namespace ashlar
