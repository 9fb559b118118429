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

/// Messages in the order of streams by NCCL, or by RCCL on HIP, between ranks that each have a GPU: the one of the
/// default execution space of Kokkos.
///
///     comm.use_stream_transport(nccl_transport(comm));
///
/// Collective. `comm` brings the ranks together, and is not used later. The call first sends known data in messages of
/// several sizes.
///
/// A thread of each transport polls NCCL for errors, such as a lost connection. After an error the transport is
/// aborted, so that no stream waits for ever, and its next call throws.
///
/// Async    waits for the other ranks.
/// Throws   on all ranks together: CommError, or RankError if it is the fault of another rank, if NCCL fails or
///          delivers wrong data. Two ranks on one GPU are an error of NCCL.
std::shared_ptr<StreamTransport> nccl_transport(const Communicator& comm);

/// The same from a communicator of the caller with the ranks of `comm`, by ncclCommSplit: the transport has its
/// configuration. Collective over both. The caller may free its communicator at any time afterwards.
///
/// Throws   as nccl_transport(); ArgumentError if the ranks of both differ.
std::shared_ptr<StreamTransport> borrow_nccl(const Communicator& comm, ncclComm_t nccl);

}  // namespace ashlar
