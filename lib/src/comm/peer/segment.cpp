#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/device/described_memory.hpp>
#include <ashlar/device/shareable_memory.hpp>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "segment.hpp"

namespace ashlar::impl {

namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw CommError(text("comm: ", what), std::strerror(error), "let messages go through the transport");
}

/// Mapped POSIX shared memory. Its maker removes the name as soon as all ranks have opened it, so that it vanishes with
/// the last of them, however that ends.
class HostSegment final : public PeerSegment {
 public:
  HostSegment(std::string name, std::size_t bytes, bool is_made_here)
      : name_(std::move(name)), bytes_(std::max<std::size_t>(bytes, 1)), has_name_(is_made_here) {
    const int file = shm_open(name_.c_str(), is_made_here ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
    if (file < 0) fail("shared memory " + name_, errno);
    // Allocate now: a lack of memory is then an error here, and no signal later.
    const int no_room = is_made_here ? posix_fallocate(file, 0, static_cast<off_t>(bytes_)) : 0;
    void* const mapped = no_room != 0 ? MAP_FAILED : mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const int error = no_room != 0 ? no_room : errno;
    close(file);
    if (mapped == MAP_FAILED) {
      if (has_name_) shm_unlink(name_.c_str());
      fail(text(bytes_, " bytes of shared memory ", name_), error);
    }
    data = static_cast<std::byte*>(mapped);
  }
  ~HostSegment() override {
    munmap(data, bytes_);
    HostSegment::hide();
  }

  void hide() override {
    if (has_name_) shm_unlink(name_.c_str());
    has_name_ = false;
  }

 private:
  std::string name_;
  std::size_t bytes_;
  bool has_name_;  // made by this process
};

}  // namespace

std::unique_ptr<PeerSegment> make_host_segment(std::size_t bytes, PeerTicket& ticket) {
  static std::atomic<int> count{0};
  const std::string name = text("/ashlar-", getpid(), "-", ticket.process.started, "-", count++);
  auto segment = std::make_unique<HostSegment>(name, bytes, true);
  ticket.is_host = true;
  ticket.data = segment->data;
  ticket.bytes = bytes;
  std::copy(name.begin(), name.end(), ticket.name.begin());  // far shorter
  return segment;
}

std::unique_ptr<PeerSegment> open_host_segment(const PeerTicket& ticket) {
  return std::make_unique<HostSegment>(ticket.name.data(), ticket.bytes, false);
}

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
  ticket.bytes = segment->memory().bytes();  // of the whole mapping
  descriptor = segment->memory().descriptor();
  return segment;
}

std::unique_ptr<PeerSegment> open_described_segment(const PeerTicket& ticket, const FileDescriptor& descriptor) {
  return std::make_unique<DescribedSegment>(descriptor, ticket.bytes);
}

}  // namespace ashlar::impl
