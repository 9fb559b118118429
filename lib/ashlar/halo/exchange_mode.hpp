#pragma once

#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/packet_bytes.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ashlar {

/// Who starts messages between ranks and waits for them.
enum class ExchangeMode {
  automatic,  ///< the fastest of those that work for these ranks, as measured at set-up; with buffers, blocking
  blocking,   ///< the host: it waits for what is packed, starts messages, and waits for them
  stream,     ///< the device's streams: all is enqueued, and the host never waits
  kernel,     ///< kernels, which write to the memory of other devices of this host and wait for what comes from there
};

/// "automatic", "blocking", "stream", "kernel"
std::string_view to_string(ExchangeMode mode);

/// The same on all ranks, but where it says otherwise.
struct ExchangeOptions {
  ExchangeMode mode = ExchangeMode::automatic;
  /// Of the blocking mode.
  HaloBuffers buffers = HaloBuffers::automatic;
  /// Of the kernel mode: how long a kernel waits for another rank before it gives up.
  double time_out_seconds = default_time_out_seconds;
  /// Of the kernel mode: messages of at most so many bytes come to this rank as packets, four bytes with the number of
  /// the exchange each, where their begins and lengths at both ends are multiples of four. They take twice the bytes,
  /// and neither a fence nor a flag behind the data. None: default_packet_bytes. Ranks may differ in it.
  std::optional<std::int64_t> packet_bytes = std::nullopt;
};

}  // namespace ashlar
