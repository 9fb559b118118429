#pragma once

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_HIP
#include <rccl/rccl.h>
#else
#include <nccl.h>
#endif

#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <memory>

namespace ashlar {

/// Messages in the order of streams by NCCL, or by RCCL on HIP, between ranks that each have a GPU of their own: that
/// of Kokkos' default execution space.
///
///     comm.use_stream_transport(nccl_transport(comm));
///
/// Collective. `comm` brings the ranks together, and is not used later. Known data are sent to and fro first, in
/// messages of several sizes.
///
/// A thread of each transport asks now and then whether NCCL has found an error meanwhile, such as a lost connection.
/// Then the transport is aborted, so that no stream waits for ever, and its next call throws.
///
/// Async    waits for the other ranks.
/// Throws   on all ranks together: CommError, or RankError where it is another rank's, where NCCL fails or brings wrong
///          data. Two ranks on one GPU are an error of NCCL's.
std::shared_ptr<StreamTransport> nccl_transport(const Communicator& comm);

/// The same by a communicator of the caller's, with the ranks of `comm`: it is split with ncclCommSplit, and so are
/// what it is configured with. Collective over both. It may be freed at any time after.
///
/// Throws   as nccl_transport(); ArgumentError where the ranks of both differ.
std::shared_ptr<StreamTransport> borrow_nccl(const Communicator& comm, ncclComm_t nccl);

}  // namespace ashlar
