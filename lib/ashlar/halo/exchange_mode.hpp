#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/packets/time_limit.hpp>
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

/// What memory messages go from and come to, where ranks compute on a device.
enum class HaloBuffers {
  automatic,  ///< the device's where that works (find_direct_messages()), else staged
  staged,     ///< pinned memory of the host, and copies between it and the device
  device,     ///< the device's; where that does not work, an error
};

/// "automatic", "staged", "device"
std::string_view to_string(HaloBuffers buffers);

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

// How long a message may be, in bytes, to go as packets, unless it is told otherwise; 0: none does. Between hosts flags
// are as fast, and faster from 1024 bytes on.

/// Where kernels of the caller's unpack, and their threads wait for one value after another. (Measured with multigrid:
/// on four H200s a cycle of 8 boxes of 16^3 cells takes 1.00 ms for 1.09, of 32^3 1.73 for 1.85; on two of 4 boxes of
/// 160^3 as long, 9.4 ms, and 1.2 percent longer with packets up to 1 MiB.)
template <execution_space Exec>
inline constexpr std::int64_t default_packet_bytes = is_gpu_v<Exec> ? 4096 : 0;

/// Of HaloExchange, where as many teams wait as the message fills. (Measured between H200s, an exchange as one launch,
/// replayed: up to 64 KiB packets take 4.5 to 7.5 us where flags take 6.7 to 8.9. 256 KiB take 8.1 for 9.5 to one
/// neighbour and as long to each of two, 1 MiB 13.4 for 12.5.)
template <execution_space Exec>
inline constexpr std::int64_t default_halo_packet_bytes = is_gpu_v<Exec> ? 131072 : 0;

/// Throws   ArgumentError where that is no length. `what` says whose messages they are.
void check_packet_bytes(std::string_view what, std::optional<std::int64_t> bytes);

/// Messages of one direction.
struct HaloCount {
  std::int64_t messages = 0, bytes = 0;

  void add(std::int64_t bytes_of_one) {
    ++messages;
    bytes += bytes_of_one;
  }
};

/// What a HaloExchange has done so far, on this rank.
struct HaloFigures {
  std::int64_t exchanges = 0;
  HaloCount sent, received;
  /// Whether they went through pinned memory of the host, and not from and to the memory that halo() is in.
  bool is_staged = false;
  /// How long the host has waited for messages.
  double waited_seconds = 0;
};

/// What goes to, or comes from, one rank: bytes [begin, begin + count) of a buffer.
struct NeighbourMessage {
  int rank = 0;
  std::int64_t begin = 0, count = 0;
};

}  // namespace ashlar
