#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/impl/stream_transport_check.hpp>
#include <ashlar/comm/stream_transport.hpp>

namespace ashlar {

/// Tries a transport with known data: from each rank to the next one in messages of each class of sizes, and from all
/// to all. All bytes are looked at where they came, those beside the messages as well.
///
/// Collective over `comm`, the transport's ranks.
///
/// Memory   two buffers of 8 MiB, freed on return.
/// Async    waits for `exec`.
/// Throws   on all ranks together: CommError, or RankError where it is another rank's, where what came is not what was
///          sent, or the transport fails. It has then been aborted.
template <execution_space Exec>
void check_stream_transport(const Exec& exec, const Communicator& comm, StreamTransport& transport) {
  impl::StreamTransportCheck(exec, comm, transport).run();
}

}  // namespace ashlar
