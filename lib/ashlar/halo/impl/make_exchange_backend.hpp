#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/impl/blocking_backend.hpp>
#include <ashlar/halo/impl/exchange_backend.hpp>
#include <ashlar/halo/impl/kernel_backend.hpp>
#include <ashlar/halo/impl/staging.hpp>
#include <ashlar/halo/impl/stream_backend.hpp>
#include <ashlar/halo/neighbour_message.hpp>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The messages of an exchange, in two buffers of so many bytes. The first `packed_bytes` of what is sent are packed at
/// the address that open() returns.
struct NeighbourBuffers {
  const std::vector<NeighbourMessage>&to, &from;
  std::int64_t send_bytes, receive_bytes, packed_bytes;
};

/// Makes the backend of a mode, which is not automatic. Collective over `comm`; `own` is a group for the messages of
/// this exchange alone. A new mode is added here, in ExchangeMode with to_string(), and in possible_modes().
///
/// Throws   on all ranks together: CommError or ArgumentError if the mode does not work here.
template <execution_space Exec>
std::unique_ptr<ExchangeBackend<Exec>> make_exchange_backend(const Exec& exec, ExchangeMode mode,
                                                             const Communicator& comm, Communicator own,
                                                             const NeighbourBuffers& buffers,
                                                             const ExchangeOptions& options) {
  if (mode == ExchangeMode::stream) {
    const std::shared_ptr<StreamTransport>& streams = comm.own_streams();
    return comm.together([&] {
      return std::make_unique<StreamBackend<Exec>>(exec, streams, buffers.to, buffers.from, buffers.send_bytes,
                                                   buffers.receive_bytes);
    });
  }
  if (mode == ExchangeMode::kernel) {
    return std::make_unique<KernelBackend<Exec>>(exec, std::move(own), buffers.to, buffers.from, buffers.send_bytes,
                                                 options);
  }
  HaloStaging staging = find_staging(exec, comm, options.buffers);
  return comm.together([&] {
    return std::make_unique<BlockingBackend<Exec>>(exec, std::move(own), buffers.to, buffers.from, buffers.send_bytes,
                                                   buffers.receive_bytes, buffers.packed_bytes, std::move(staging));
  });
}

}  // namespace ashlar::impl
