#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/device/runtime/priority_instance.hpp>
#include <cstddef>
#include <cstdint>
#include <halo/messages.hpp>
#include <memory>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// The same messages by what carries bytes in the order of streams alone: sends and receives of NCCL.
class RawStream {
 public:
  /// Collective; `comm` has a transport for streams.
  RawStream(const Exec& exec, const Communicator& comm, const RankMessages& messages)
      : messages_(messages),
        side_(exec),
        send_("perf::send", static_cast<std::size_t>(messages.bytes())),
        receive_("perf::receive", static_cast<std::size_t>(messages.bytes())),
        transport_(comm.stream_transport()->make_for(comm)) {
    for (const NeighbourMessage& to : messages.to) {
      sends_.push_back({send_.data() + to.begin, static_cast<std::size_t>(to.count), to.rank});
    }
    for (const NeighbourMessage& from : messages.from) {
      receives_.push_back({receive_.data() + from.begin, static_cast<std::size_t>(from.count), from.rank});
    }
  }

  /// Enqueues an exchange.
  void run() { transport_->exchange(sends_, receives_, side_.stream()); }
  void wait() const { side_.get().fence("perf::raw_stream"); }
  /// How many bytes of one are wrong.
  std::int64_t num_wrong(int round) {
    fill_messages(side_.get(), messages_, round, send_.data());
    run();
    return num_wrong_bytes(side_.get(), messages_, round, receive_.data());
  }

 private:
  RankMessages messages_;
  PriorityInstance<Exec> side_;
  Vector<std::byte> send_, receive_;
  std::unique_ptr<StreamTransport> transport_;
  std::vector<StreamSend> sends_;
  std::vector<StreamReceive> receives_;
};

}  // namespace ashlar::perf
