#include "device_segment.hpp"

#include <ashlar/device/memory/shareable_memory.hpp>

namespace ashlar::impl {

namespace {

class OwnSegment final : public PeerSegment {
 public:
  explicit OwnSegment(std::size_t bytes) : memory_(bytes) { data = static_cast<std::byte*>(memory_.data()); }
  SharedMemoryHandle handle() const { return memory_.handle(); }

 private:
  ShareableMemory memory_;
};

class OpenedSegment final : public PeerSegment {
 public:
  explicit OpenedSegment(const SharedMemoryHandle& handle) : memory_(handle) {
    data = static_cast<std::byte*>(memory_.data());
  }

 private:
  OpenedMemory memory_;
};

class DescribedSegment final : public PeerSegment {
 public:
  template <class... Arguments>
  explicit DescribedSegment(const Arguments&... arguments) : memory_(arguments...) {
    data = static_cast<std::byte*>(memory_.data());
  }
  const DescribedMemory& memory() const { return memory_; }

 private:
  DescribedMemory memory_;
};

}  // namespace

std::unique_ptr<PeerSegment> make_device_segment(std::size_t bytes, PeerTicket& ticket) {
  auto segment = std::make_unique<OwnSegment>(bytes);
  ticket.is_host = false;
  ticket.data = segment->data;
  ticket.bytes = bytes;
  ticket.name = segment->handle();
  return segment;
}

std::unique_ptr<PeerSegment> open_device_segment(const PeerTicket& ticket) {
  return std::make_unique<OpenedSegment>(ticket.name);
}

std::unique_ptr<PeerSegment> make_described_segment(std::size_t bytes, PeerTicket& ticket, FileDescriptor& descriptor) {
  auto segment = std::make_unique<DescribedSegment>(bytes);
  ticket.is_host = false;
  ticket.data = segment->data;
  ticket.bytes = segment->memory().bytes();  // as it is mapped, whole
  descriptor = segment->memory().descriptor();
  return segment;
}

std::unique_ptr<PeerSegment> open_described_segment(const PeerTicket& ticket, const FileDescriptor& descriptor) {
  return std::make_unique<DescribedSegment>(descriptor, ticket.bytes);
}

}  // namespace ashlar::impl
