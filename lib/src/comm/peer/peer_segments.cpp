#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/impl/peer_segments.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/device/memory/shareable_memory.hpp>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

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

namespace {

[[noreturn]] void fail_to_share(const std::string& what, int error) {
  throw CommError(text("comm: ", what), std::strerror(error), "let messages go through the transport");
}

/// Mapped POSIX shared memory. Its maker removes the name as soon as all ranks have opened it, so that it vanishes with
/// the last of them, however that ends.
class HostMemory {
 public:
  HostMemory(std::string name, std::size_t bytes, bool is_made_here)
      : name_(std::move(name)), bytes_(std::max<std::size_t>(bytes, 1)), has_name_(is_made_here) {
    const int file = shm_open(name_.c_str(), is_made_here ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
    if (file < 0) fail_to_share("shared memory " + name_, errno);
    // Allocate now: a lack of memory is then an error here, and no signal later.
    const int no_room = is_made_here ? posix_fallocate(file, 0, static_cast<off_t>(bytes_)) : 0;
    void* const mapped = no_room != 0 ? MAP_FAILED : mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const int error = no_room != 0 ? no_room : errno;
    close(file);
    if (mapped == MAP_FAILED) {
      if (has_name_) shm_unlink(name_.c_str());
      fail_to_share(text(bytes_, " bytes of shared memory ", name_), error);
    }
    data_ = mapped;
  }
  ~HostMemory() {
    munmap(data_, bytes_);
    hide();
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  void* data() const { return data_; }
  void hide() {
    if (has_name_) shm_unlink(name_.c_str());
    has_name_ = false;
  }

 private:
  std::string name_;
  std::size_t bytes_;
  void* data_ = nullptr;
  bool has_name_;  // made by this process
};

/// The data by which other ranks open a segment.
struct Key {
  PeerTicket ticket;
  FileDescriptor descriptor;
};

template <class Memory>
PeerSegment segment_of(const std::shared_ptr<Memory>& memory) {
  return {static_cast<std::byte*>(memory->data()), memory, {}};
}

/// A zeroed segment of host memory, or of the current device.
PeerSegment make_segment(MemoryKind kind, std::size_t bytes, PeerSharing sharing, Key& key) {
  PeerTicket& ticket = key.ticket;
  PeerSegment segment;
  ticket.is_host = kind == MemoryKind::host;
  ticket.bytes = bytes;
  if (ticket.is_host) {
    static std::atomic<int> count{0};
    const std::string name = text("/ashlar-", getpid(), "-", ticket.process.started, "-", count++);
    std::copy(name.begin(), name.end(), ticket.name.begin());  // far shorter
    const auto memory = std::make_shared<HostMemory>(name, bytes, true);
    segment = segment_of(memory);
    segment.hide = [memory] { memory->hide(); };
  } else if (sharing == PeerSharing::handles) {
    const auto memory = std::make_shared<ShareableMemory>(bytes);
    segment = segment_of(memory);
    ticket.name = memory->handle();
  } else {
    const auto memory = std::make_shared<DescribedMemory>(bytes);
    segment = segment_of(memory);
    ticket.bytes = memory->bytes();  // of the whole mapping
    key.descriptor = memory->descriptor();
  }
  ticket.data = segment.data;
  return segment;
}

/// Opens a segment of another rank: by `descriptor`, if it is not null.
PeerSegment open_segment(const PeerTicket& ticket, const FileDescriptor* descriptor) {
  if (ticket.is_host) return segment_of(std::make_shared<HostMemory>(ticket.name.data(), ticket.bytes, false));
  if (descriptor != nullptr) return segment_of(std::make_shared<DescribedMemory>(*descriptor, ticket.bytes));
  return segment_of(std::make_shared<OpenedMemory>(ticket.name));
}

}  // namespace

PeerSegments::PeerSegments(std::shared_ptr<const Communicator> comm, MemoryKind kind, std::size_t bytes,
                           PeerSharing sharing, const std::string& why)
    : comm_(std::move(comm)) {
  if (const int hosts = comm_->transport().num_hosts(); hosts > 1) {
    throw CommError(text("comm: memory shared by ", comm_->size(), " ranks"), text("they are on ", hosts, " hosts"),
                    "let messages go through the transport");
  }
  Key mine;
  own_ = comm_->together([&] { return make_segment(kind, bytes, sharing, mine); });
  const std::vector<PeerTicket> tickets = comm_->all_gather(mine.ticket);
  std::vector<FileDescriptor> descriptors;
  if (sharing == PeerSharing::descriptors) descriptors = pass_descriptors(*comm_, mine.descriptor.get());
  try {
    comm_->together([&] {
      for (std::size_t rank = 0; rank < tickets.size(); ++rank) {
        const PeerTicket& its = tickets[rank];
        if (its.is_host != mine.ticket.is_host) {
          throw CommError(text("comm: memory shared by ranks ", comm_->rank(), " and ", rank),
                          "one computes on a device, the other on the host", "let messages go through the transport");
        }
        // A process cannot open a handle of its own memory.
        if (its.process == mine.ticket.process) {
          data_.push_back(its.data);
          continue;
        }
        others_.push_back(open_segment(its, descriptors.empty() ? nullptr : &descriptors[rank]));
        data_.push_back(others_.back().data);
      }
    });
  } catch (const std::exception&) {
    others_.clear();
    comm_->barrier();  // all ranks get here: no rank frees memory that another one has open
    throw;
  }
  if (own_.hide) own_.hide();
  explain_ = kind == MemoryKind::host ? "memory shared between processes"
                                      : text("memory of the other devices, by ",
                                             sharing == PeerSharing::handles ? "handles" : "file descriptors", why);
}

PeerSegments::~PeerSegments() {
  if (std::uncaught_exceptions() > 0) return;
  others_.clear();
  try {
    comm_->barrier();  // no rank frees memory that another one has open
  } catch (const std::exception&) {
    // The other ranks have left: nobody uses the memory.
  }
}

namespace {

/// The methods to try, in this order: the same on all ranks.
std::vector<PeerSharing> methods_of(const Communicator& comm, MemoryKind kind) {
  struct Wish {
    PeerSharing sharing;
    MemoryKind kind;
  };
  const Wish mine{comm.peer_sharing(), kind};
  const std::vector<Wish> all = comm.all_gather(mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].sharing == all[0].sharing) continue;
    throw ArgumentError(text("comm: memory shared by ", to_string(all[rank].sharing), " on rank ", rank, ", by ",
                             to_string(all[0].sharing), " on rank 0"),
                        "all ranks share it by one method", "ask for the same on all of them");
  }
  // If a rank has no device memory, PeerSegments refuses, whatever the method.
  const bool has_devices = std::none_of(all.begin(), all.end(), [](auto& its) { return its.kind == MemoryKind::host; });
  if (!has_devices) return {PeerSharing::handles};
  if (mine.sharing == PeerSharing::automatic) return {PeerSharing::handles, PeerSharing::descriptors};
  return {mine.sharing};
}

std::string reason_of(const std::exception& failure) {
  const auto* const error = dynamic_cast<const Error*>(&failure);
  return error != nullptr ? text(error->problem(), ": ", error->why()) : failure.what();
}

}  // namespace

std::unique_ptr<PeerSegments> make_peer_segments(Communicator comm, MemoryKind kind, std::size_t bytes,
                                                 const std::function<void(const PeerSegments&)>& check) {
  const auto shared = std::make_shared<const Communicator>(std::move(comm));
  const std::vector<PeerSharing> methods = methods_of(*shared, kind);
  std::string why = shared->peer_sharing() == PeerSharing::automatic ? "" : " (as asked for)";
  std::string failures;
  for (const PeerSharing method : methods) {
    std::unique_ptr<PeerSegments> segments;
    // A failure reaches all ranks together, so that all try the next method.
    try {
      segments = std::make_unique<PeerSegments>(shared, kind, bytes, method, why);
      check(*segments);
      return segments;
    } catch (const std::exception& failure) {
      if (methods.size() == 1) {
        segments.reset();
        throw;
      }
      why = text(" (", to_string(method), " do not work: ", reason_of(failure), ")");
      failures += text(failures.empty() ? "" : "; ", "by ", to_string(method), ": ", reason_of(failure));
    }
  }
  throw CommError(text("comm: memory of devices shared by ", shared->size(), " ranks"), failures,
                  "let messages go through the transport");
}

namespace {

struct Peer {
  ProcessId process = {};
  MemoryKind kind = MemoryKind::host;
  std::array<char, 32> device{};  ///< its name on the host; empty if unknown
};

}  // namespace

PeersFound find_peers(const Communicator& comm, MemoryKind kind, const std::string& device) {
  const int hosts = comm.transport().num_hosts();
  if (hosts > 1) return {false, text("the ranks are on ", hosts, " hosts")};
  Peer mine{.kind = kind};
  std::copy_n(device.begin(), std::min(device.size(), mine.device.size() - 1), mine.device.begin());
  const std::vector<Peer> all = comm.all_gather(mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].kind != all[0].kind) {
      return {false, text("rank ", rank, " computes in ", to_string(all[rank].kind), " memory, rank 0 in ",
                          to_string(all[0].kind), " memory")};
    }
    for (std::size_t other = 0; other < rank; ++other) {
      if (all[rank].process == all[other].process) {
        return {false, text("ranks ", other, " and ", rank, " are threads of one process")};
      }
      if (all[rank].kind != MemoryKind::host && all[rank].device == all[other].device) {
        return {false, text("ranks ", other, " and ", rank, " have one device")};
      }
    }
  }
  return {true, "the ranks are processes of one host"};
}

}  // namespace ashlar::impl
