#include "device_segment.hpp"

#include <algorithm>
#include <ashlar/comm/error.hpp>
#include <ashlar/device/impl/gpu_runtime.hpp>
#include <cstring>

namespace ashlar::impl {

#ifdef ASHLAR_HAS_GPU_RUNTIME

namespace {

static_assert(sizeof(gpu::SharedHandle) <= sizeof(PeerTicket::name));

class OwnSegment final : public PeerSegment {
 public:
  explicit OwnSegment(std::size_t bytes) {
    data = static_cast<std::byte*>(gpu::allocate_zeros(std::max<std::size_t>(bytes, 1)));
  }
  ~OwnSegment() override { gpu::free_memory(data); }
};

class OpenedSegment final : public PeerSegment {
 public:
  explicit OpenedSegment(const gpu::SharedHandle& handle) { data = static_cast<std::byte*>(gpu::open_shared(handle)); }
  ~OpenedSegment() override { gpu::close_shared(data); }
};

}  // namespace

std::unique_ptr<PeerSegment> make_device_segment(std::size_t bytes, PeerTicket& ticket) {
  auto segment = std::make_unique<OwnSegment>(bytes);
  ticket.is_host = false;
  ticket.data = segment->data;
  ticket.bytes = bytes;
  const gpu::SharedHandle handle = gpu::share(segment->data);
  std::memcpy(ticket.name.data(), &handle, sizeof handle);
  return segment;
}

std::unique_ptr<PeerSegment> open_device_segment(const PeerTicket& ticket) {
  gpu::SharedHandle handle;
  std::memcpy(&handle, ticket.name.data(), sizeof handle);
  return std::make_unique<OpenedSegment>(handle);
}

#else

std::unique_ptr<PeerSegment> make_device_segment(std::size_t, PeerTicket&) {
  throw CommError("comm: memory of a device, shared between processes", "this build knows how for CUDA and HIP",
                  "let messages go through the transport");
}
std::unique_ptr<PeerSegment> open_device_segment(const PeerTicket& ticket) {
  PeerTicket none = ticket;
  return make_device_segment(0, none);
}

#endif

}  // namespace ashlar::impl
