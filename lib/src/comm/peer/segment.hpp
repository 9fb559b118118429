#pragma once

#include <unistd.h>

#include <array>
#include <ashlar/comm/impl/peer_segments.hpp>
#include <ashlar/host/file_descriptor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ashlar::impl {

/// Identifies a process, also if each container counts its processes from 1.
struct ProcessId {
  std::int64_t pid = getpid();
  std::int64_t started = first_use();

  bool operator==(const ProcessId&) const = default;

 private:
  static std::int64_t first_use() {
    static const std::int64_t ticks = std::chrono::steady_clock::now().time_since_epoch().count();
    return ticks;
  }
};

/// The data by which other ranks open a segment.
struct PeerTicket {
  ProcessId process;
  bool is_host = true;
  std::byte* data = nullptr;  ///< its address in the process that made it
  std::size_t bytes = 0;
  std::array<char, 64> name{};  ///< of shared host memory, or the IPC handle of device memory
};

/// Zeroed memory that the processes of a host share. Throws CommError.
std::unique_ptr<PeerSegment> make_host_segment(std::size_t bytes, PeerTicket& ticket);
std::unique_ptr<PeerSegment> open_host_segment(const PeerTicket& ticket);

/// Zeroed memory of the current device, which other processes open by an IPC handle. Throws Error.
std::unique_ptr<PeerSegment> make_device_segment(std::size_t bytes, PeerTicket& ticket);
std::unique_ptr<PeerSegment> open_device_segment(const PeerTicket& ticket);

/// The same, opened by a file descriptor. Throws Error.
std::unique_ptr<PeerSegment> make_described_segment(std::size_t bytes, PeerTicket& ticket, FileDescriptor& descriptor);
std::unique_ptr<PeerSegment> open_described_segment(const PeerTicket& ticket, const FileDescriptor& descriptor);

}  // namespace ashlar::impl
