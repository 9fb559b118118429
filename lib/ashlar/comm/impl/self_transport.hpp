#pragma once

#include <ashlar/comm/transport.hpp>
#include <memory>

namespace ashlar::impl {

/// The transport of a rank that is alone. It gathers, and sends nothing: there is nobody else.
std::unique_ptr<Transport> self_transport();

}  // namespace ashlar::impl
