#pragma once

#include <mpi.h>

#include <chrono>
#include <vector>

namespace ashlar::impl {

/// Whether all are complete. One complete once is complete for good; persistent requests may be started again.
bool test_all(std::vector<MPI_Request>& requests);

/// Returns when all are complete. It polls; after a while it gives way to other threads, and then sleeps between polls:
/// there may be more ranks than processors, and the one that is waited for must run.
void wait_all(std::vector<MPI_Request>& requests);

/// The same, but gives up after `limit`; returns whether all are complete.
bool wait_all_for(std::vector<MPI_Request>& requests, std::chrono::milliseconds limit);

}  // namespace ashlar::impl
