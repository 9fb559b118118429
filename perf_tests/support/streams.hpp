#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/comm/communicator.hpp>
#ifdef ASHLAR_PERF_HAS_NCCL
#include <ashlar/comm/nccl/transport.hpp>
#endif

namespace ashlar::perf {

/// A group of the same ranks whose messages may go in the order of streams, where NCCL works. Collective.
inline Communicator with_streams(const Communicator& comm) {
  Communicator streams = comm.duplicate();
#ifdef ASHLAR_PERF_HAS_NCCL
  if (comm.is_alone()) return streams;
  try {
    streams.use_stream_transport(nccl_transport(streams));
  } catch (const Error& error) {  // on all ranks together
    streams.use_stream_transport(nullptr, error.what());
  }
#endif
  return streams;
}

}  // namespace ashlar::perf
