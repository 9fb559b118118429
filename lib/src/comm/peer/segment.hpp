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

/// What one process may be told from another by, also where each counts its processes from 1.
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

/// By what other ranks open a segment.
struct PeerTicket {
  ProcessId process;
  bool is_host = true;
  std::byte* data = nullptr;  ///< within the process that made it
  std::size_t bytes = 0;
  std::array<char, 64> name{};  ///< of shared memory, or the handle of a device's
};

/// Memory that the processes of a host share, of zeros. Throws CommError.
std::unique_ptr<PeerSegment> make_host_segment(std::size_t bytes, PeerTicket& ticket);
std::unique_ptr<PeerSegment> open_host_segment(const PeerTicket& ticket);

/// Memory of the current device, of zeros, that other processes open by a handle. Throws Error.
std::unique_ptr<PeerSegment> make_device_segment(std::size_t bytes, PeerTicket& ticket);
std::unique_ptr<PeerSegment> open_device_segment(const PeerTicket& ticket);

/// The same by a file descriptor, which is given besides. Throws Error.
std::unique_ptr<PeerSegment> make_described_segment(std::size_t bytes, PeerTicket& ticket, FileDescriptor& descriptor);
std::unique_ptr<PeerSegment> open_described_segment(const PeerTicket& ticket, const FileDescriptor& descriptor);

}  // namespace ashlar::impl
