#pragma once

#include <ashlar/comm/impl/peer_segments.hpp>
#include <ashlar/host/file_descriptor.hpp>
#include <memory>

#include "ticket.hpp"

namespace ashlar::impl {

/// Memory of the current device, of zeros, that other processes open by a handle. Throws Error.
std::unique_ptr<PeerSegment> make_device_segment(std::size_t bytes, PeerTicket& ticket);
std::unique_ptr<PeerSegment> open_device_segment(const PeerTicket& ticket);

/// The same by a file descriptor, which is given besides. Throws Error.
std::unique_ptr<PeerSegment> make_described_segment(std::size_t bytes, PeerTicket& ticket, FileDescriptor& descriptor);
std::unique_ptr<PeerSegment> open_described_segment(const PeerTicket& ticket, const FileDescriptor& descriptor);

}  // namespace ashlar::impl
