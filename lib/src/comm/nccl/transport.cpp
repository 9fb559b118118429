#include <ashlar/comm/nccl/transport.hpp>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/check_stream_transport.hpp>
#include <ashlar/comm/direct_messages.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/device/events/event.hpp>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace ashlar::impl {

namespace {

/// NCCL's result once it is settled: a call on a communicator that does not block goes on after it has returned.
ncclResult_t settled(ncclResult_t result, ncclComm_t comm) {
  constexpr auto time_limit = std::chrono::seconds(60);
  constexpr auto pause = std::chrono::microseconds(20);
  const auto begin = std::chrono::steady_clock::now();
  while (result == ncclInProgress && comm != nullptr) {
    if (std::chrono::steady_clock::now() - begin > time_limit) return ncclSystemError;
    std::this_thread::sleep_for(pause);
    const ncclResult_t asked = ncclCommGetAsyncError(comm, &result);
    if (asked != ncclSuccess) return asked;
  }
  return result;
}

/// NCCL's name for a failure, and its last message.
std::string complaint(ncclResult_t result, ncclComm_t comm) {
  const char* const last = ncclGetLastError(comm);
  const std::string more = last == nullptr ? "" : last;
  return text(ncclGetErrorString(result), more.empty() ? "" : ": ", more);
}

/// Throws   CommError unless `result` is success. `call` is the name of the function.
void check_nccl(ncclResult_t result, const char* call, ncclComm_t comm = nullptr) {
  if (result == ncclSuccess) return;
  throw CommError(text(call, " failed"), complaint(result, comm),
                  "set NCCL_DEBUG=INFO to see more, or take another exchange mode");
}

/// "2.28.9"
std::string nccl_version() {
  int version = 0;
  check_nccl(ncclGetVersion(&version), "ncclGetVersion");
  return text(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

using Exec = Kokkos::DefaultExecutionSpace;
#ifdef KOKKOS_ENABLE_HIP
using Stream = hipStream_t;
constexpr const char* library = "rccl";
#else
using Stream = cudaStream_t;
constexpr const char* library = "nccl";
#endif

// Interval between polls for errors of NCCL.
constexpr auto watch_interval = std::chrono::milliseconds(500);

// The most channels of a communicator. NCCL sets up buffers and connections for each channel between each two ranks,
// and occupies a multiprocessor for each while it sends. Halos are some KB to some MB: a few channels fill a link with
// them (each moves about 20 GB/s), start sooner, and leave the device to the product that runs meanwhile.
constexpr int most_channels = 8;

ncclConfig_t configuration() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.maxCTAs = most_channels;
  return config;
}

/// NCCL uses the current device.
void use_device() { Event<Exec>().wait(); }  // an event's device becomes the thread's

/// Collective. NCCL reports two ranks on one device to those two only, and leaves the others waiting.
void require_devices_of_their_own(const Communicator& group) {
  const auto two = ranks_of_one_device(Exec(), group);
  if (!two) return;
  throw CommError(text(library, ": ranks ", two->first, " and ", two->second, " have one device"),
                  "each rank needs one of its own", "start fewer ranks, or let messages be the host's");
}

/// A communicator until a transport owns it; aborted if another rank fails.
struct NewComm {
  ncclComm_t comm = nullptr;

  ~NewComm() {
    if (comm != nullptr) static_cast<void>(ncclCommAbort(comm));
  }
};

}  // namespace

/// Owns a communicator of NCCL, and a thread that polls it for errors.
class NcclTransport final : public StreamTransport {
 public:
  /// Takes the result of ncclCommInitRank or ncclCommSplit.
  NcclTransport(ncclComm_t comm, int num_ranks) : comm_(comm), num_ranks_(num_ranks), watcher_([this] { watch(); }) {}
  ~NcclTransport() override {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    watcher_.join();
    if (comm_ == nullptr) return;
    // A rank that leaves early cannot wait for messages that other ranks may never send.
    const ncclResult_t result = std::uncaught_exceptions() > 0 ? ncclCommAbort(comm_) : ncclCommDestroy(comm_);
    if (result != ncclSuccess) std::cerr << "ashlar: ncclCommDestroy failed (" << ncclGetErrorString(result) << ")\n";
  }

  /// Collective over the ranks of `group`. Each rank uses the current device of its thread.
  static std::unique_ptr<NcclTransport> of_ranks(const Communicator& group) {
    require_devices_of_their_own(group);
    ncclUniqueId id{};
    group.together([&] {
      if (group.rank() == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    });
    id = group.broadcast(id);
    return made(group, [&](ncclComm_t& comm) {
      ncclConfig_t config = configuration();
      check_nccl(ncclCommInitRankConfig(&comm, group.size(), id, group.rank(), &config), "ncclCommInitRankConfig");
    });
  }
  /// The same by a split of `nccl`, which has the ranks of `group`.
  static std::unique_ptr<NcclTransport> split_of(ncclComm_t nccl, const Communicator& group) {
    return made(group, [&](ncclComm_t& comm) {
      const ncclResult_t result = ncclCommSplit(nccl, 0, group.rank(), &comm, nullptr);  // configured as `nccl`
      check_nccl(settled(result, nccl), "ncclCommSplit", nccl);
      check_nccl(settled(result, comm), "ncclCommSplit", comm);
    });
  }

  MemoryKind memory() const override { return memory_kind_of<Exec::memory_space>; }
  std::string name() const override { return library; }
  std::string explain() const override {
    return text(library, " ", nccl_version(), ", tried with ", trial_bytes.front(), " to ", trial_bytes.back(),
                " bytes");
  }

  std::unique_ptr<StreamTransport> make_for(const Communicator& group) const override {
    // All ranks take part in a split; a subset of them starts from scratch.
    if (group.size() != num_ranks_) return of_ranks(group);
    const std::lock_guard lock(mutex_);  // no thread aborts it meanwhile
    group.together([&] { require_alive(); });
    return split_of(comm_, group);
  }

  void exchange(std::span<const StreamSend> sends, std::span<const StreamReceive> receives, void* stream) override {
    run("ncclSend and ncclRecv", [&](ncclComm_t comm) {
      ncclResult_t first = ncclGroupStart();
      if (first != ncclSuccess) return first;
      // The group belongs to the thread, so it is ended in any case.
      const auto keep = [&](ncclResult_t result) {
        if (first == ncclSuccess || first == ncclInProgress) first = result;
      };
      for (const StreamReceive& its : receives) {
        if (its.bytes > 0) keep(ncclRecv(its.data, its.bytes, ncclUint8, its.from, comm, static_cast<Stream>(stream)));
      }
      for (const StreamSend& its : sends) {
        if (its.bytes > 0) keep(ncclSend(its.data, its.bytes, ncclUint8, its.to, comm, static_cast<Stream>(stream)));
      }
      keep(ncclGroupEnd());
      return first;
    });
  }
  void all_gather(const void* mine, std::size_t bytes, void* all, void* stream) override {
    run("ncclAllGather",
        [&](ncclComm_t comm) { return ncclAllGather(mine, all, bytes, ncclUint8, comm, static_cast<Stream>(stream)); });
  }

  void check() const override {
    const std::lock_guard lock(mutex_);
    require_alive();
  }
  void abort() noexcept override {
    const std::lock_guard lock(mutex_);
    fail("it has been aborted");
  }

 private:
  /// The transport of a communicator that make(comm) makes on each rank. Collective.
  template <class Make>
  static std::unique_ptr<NcclTransport> made(const Communicator& group, const Make& make) {
    NewComm its;
    group.together([&] {
      use_device();
      make(its.comm);
    });
    return group.together([&] {
      auto result = std::make_unique<NcclTransport>(its.comm, group.size());
      its.comm = nullptr;
      return result;
    });
  }

  /// Calls enqueue(comm), and throws if its result is an error.
  template <class Enqueue>
  void run(const char* call, const Enqueue& enqueue) {
    const std::lock_guard lock(mutex_);
    require_alive();
    const ncclResult_t result = settled(enqueue(comm_), comm_);
    if (result == ncclSuccess) return;
    fail(text(call, ": ", complaint(result, comm_)));
    require_alive();
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, watch_interval, [this] { return is_ending_; })) {
      if (comm_ == nullptr) return;
      ncclResult_t found = ncclSuccess;
      const ncclResult_t asked = ncclCommGetAsyncError(comm_, &found);
      if (asked != ncclSuccess) found = asked;
      if (found != ncclSuccess && found != ncclInProgress) fail(complaint(found, comm_));
    }
  }

  // With the mutex held:
  void require_alive() const {
    if (comm_ != nullptr) return;
    throw CommError(text("messages by ", library, " failed"), failure_,
                    "end the job, and read the messages of other ranks");
  }
  void fail(const std::string& why) noexcept {
    if (comm_ == nullptr) return;
    failure_ = why;
    static_cast<void>(ncclCommAbort(std::exchange(comm_, nullptr)));
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ncclComm_t comm_;  // null once it has been aborted
  int num_ranks_;
  std::string failure_;
  bool is_ending_ = false;
  std::thread watcher_;
};

}  // namespace ashlar::impl

namespace ashlar {

namespace {

std::shared_ptr<StreamTransport> checked(const Communicator& comm, std::unique_ptr<impl::NcclTransport> transport) {
  check_stream_transport(impl::Exec(), comm, *transport);
  return transport;
}

}  // namespace

std::shared_ptr<StreamTransport> nccl_transport(const Communicator& comm) {
  return checked(comm, impl::NcclTransport::of_ranks(comm));
}

std::shared_ptr<StreamTransport> borrow_nccl(const Communicator& comm, ncclComm_t nccl) {
  comm.together([&] {
    int size = 0, rank = 0;
    impl::check_nccl(ncclCommCount(nccl, &size), "ncclCommCount", nccl);
    impl::check_nccl(ncclCommUserRank(nccl, &rank), "ncclCommUserRank", nccl);
    if (size == comm.size() && rank == comm.rank()) return;
    throw ArgumentError(text("rank ", rank, " of ", size, " in a communicator of NCCL"),
                        text("it is rank ", comm.rank(), " of ", comm.size(), " here"),
                        "pass communicators of the same ranks, in the same order");
  });
  return checked(comm, impl::NcclTransport::split_of(nccl, comm));
}

}  // namespace ashlar
