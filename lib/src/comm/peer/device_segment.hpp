#pragma once

#include <ashlar/comm/impl/peer_segments.hpp>
#include <memory>

#include "ticket.hpp"

namespace ashlar::impl {

/// Memory of the current device, of zeros, that other processes open by a handle. Throws Error.
std::unique_ptr<PeerSegment> make_device_segment(std::size_t bytes, PeerTicket& ticket);
std::unique_ptr<PeerSegment> open_device_segment(const PeerTicket& ticket);

}  // namespace ashlar::impl
