#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ashlar {

/// Who starts messages between ranks and waits for them.
enum class ExchangeMode {
  automatic,  ///< the fastest mode that works for these ranks, measured at set-up; blocking if buffers are asked for
  blocking,   ///< the host waits for the packing kernel, starts messages, and waits for them
  stream,     ///< messages are enqueued on the device's streams; the host never waits
  kernel,     ///< kernels write to the memory of other devices of this host, and wait for the other ranks' data
};

/// "automatic", "blocking", "stream", "kernel"
std::string_view to_string(ExchangeMode mode);

/// Where the buffers of messages lie if ranks compute on a device.
enum class HaloBuffers {
  automatic,  ///< on the device if messages from there work (find_direct_messages()), else staged
  staged,     ///< in pinned host memory, with copies to and from the device
  device,     ///< on the device; an error if messages from there do not work
};

/// "automatic", "staged", "device"
std::string_view to_string(HaloBuffers buffers);

/// All ranks pass the same options, except where a field says otherwise.
struct ExchangeOptions {
  ExchangeMode mode = ExchangeMode::automatic;
  /// Blocking mode.
  HaloBuffers buffers = HaloBuffers::automatic;
  /// Kernel mode: a kernel gives up after waiting so long for another rank.
  double time_out_seconds = default_time_out_seconds;
  /// Kernel mode: the longest message, in bytes, that this rank receives as packets. A packet word holds four bytes and
  /// the number of the exchange. Packets take twice the bytes, and need neither a fence nor a flag. Begin and length of
  /// the message must be multiples of four on both ranks. None: default_packet_bytes. Ranks may differ.
  std::optional<std::int64_t> packet_bytes = std::nullopt;
};

// The longest message, in bytes, that goes as packets by default; 0: none does. Between hosts flags are as fast, and
// faster from 1024 bytes on.

/// For kernels of the caller, whose threads wait for one value after another. Measured with multigrid: on four H200s a
/// cycle of 8 boxes of 16^3 cells takes 1.00 ms with packets and 1.09 ms with flags, of 32^3 cells 1.73 and 1.85 ms. On
/// two H200s a cycle of 4 boxes of 160^3 cells takes 9.4 ms either way; it is 1.2 percent slower with packets up to 1
/// MiB.
template <execution_space Exec>
inline constexpr std::int64_t default_packet_bytes = is_gpu_v<Exec> ? 4096 : 0;

/// For HaloExchange, whose waiting teams are as many as a message fills. Measured between H200s, one launch for an
/// exchange, replayed: up to 64 KiB packets take 4.5 to 7.5 us, flags 6.7 to 8.9 us. 256 KiB take 8.1 us with packets
/// and 9.5 us with flags to one neighbour, and as long to each of two; 1 MiB takes 13.4 and 12.5 us.
template <execution_space Exec>
inline constexpr std::int64_t default_halo_packet_bytes = is_gpu_v<Exec> ? 131072 : 0;

/// Throws   ArgumentError if `bytes` is negative. `what` names the owner of the messages.
void check_packet_bytes(std::string_view what, std::optional<std::int64_t> bytes);

/// Number and bytes of the messages in one direction.
struct HaloCount {
  std::int64_t messages = 0, bytes = 0;

  void add(std::int64_t bytes_of_one) {
    ++messages;
    bytes += bytes_of_one;
  }
  HaloCount& operator+=(const HaloCount& other) {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
};

/// The work of a HaloExchange on this rank so far. A message that is sent counts at the start, one that is received
/// when it has arrived.
struct HaloFigures {
  std::int64_t exchanges = 0;
  HaloCount sent, received;
  /// True if messages go through pinned host memory instead of the memory of halo().
  bool is_staged = false;
  /// Time for which the host has waited for messages.
  double waited_seconds = 0;
};

/// The message to or from one rank: bytes [begin, begin + count) of a buffer.
struct NeighbourMessage {
  int rank = 0;
  std::int64_t begin = 0, count = 0;
};

}  // namespace ashlar
