#pragma once

#include <ashlar/comm/impl/peer_segments.hpp>
#include <memory>

#include "ticket.hpp"

namespace ashlar::impl {

/// Memory that the processes of a host share, of zeros. Throws CommError.
std::unique_ptr<PeerSegment> make_host_segment(std::size_t bytes, PeerTicket& ticket);
std::unique_ptr<PeerSegment> open_host_segment(const PeerTicket& ticket);

}  // namespace ashlar::impl
