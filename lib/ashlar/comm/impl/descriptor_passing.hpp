#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/host/file_descriptor.hpp>
#include <vector>

namespace ashlar::impl {

/// Hands what this rank has open to all the others, processes of one host, and takes what they have: by rank, open here
/// under numbers of this process; none of this rank itself. `mine` stays open, and the caller's.
///
/// Over Unix domain sockets of this call alone. Their names are in no folder and go with the sockets; they hold a
/// random number that rank 0 has drawn, so that calls at the same time, of whatever jobs, do not meet. What comes from
/// another user, or was not sent by this call, is dropped.
///
/// Collective.
/// Throws   CommError on all ranks together, where one has failed or has waited so long for another.
std::vector<FileDescriptor> pass_descriptors(const Communicator& comm, int mine, double time_out_seconds = 30);

}  // namespace ashlar::impl
