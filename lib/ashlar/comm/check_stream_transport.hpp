#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/direct_messages.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/device/runtime/priority_instance.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::impl {

/// The work of check_stream_transport().
template <execution_space Exec>
class StreamTransportCheck {
 public:
  StreamTransportCheck(const Exec& exec, const Communicator& comm, StreamTransport& transport)
      : exec_(exec),
        comm_(comm),
        transport_(transport),
        side_(comm.together([&] { return std::make_unique<PriorityInstance<Exec>>(exec); })),
        to_(comm.together([&] { return std::make_unique<TrialMemoryOf<Exec>>(exec); })),
        from_(comm.together([&] { return std::make_unique<TrialMemoryOf<Exec>>(exec); })) {}

  void run() {
    for (const std::int64_t bytes : trial_bytes) check_messages(bytes);
    check_gathering();
  }

 private:
  static constexpr int num_gathered = 4;
  using Numbers = Kokkos::View<double*, typename Exec::memory_space>;

  void check_messages(std::int64_t bytes) {
    const int next = (comm_.rank() + 1) % comm_.size(), before = (comm_.rank() + comm_.size() - 1) % comm_.size();
    if (next == comm_.rank()) return;
    const auto seed = [&](int sender) { return static_cast<std::uint32_t>(1 + sender); };
    const std::array<StreamSend, 1> sends{{{to_->data(), std::size_t(bytes), next}}};
    const std::array<StreamReceive, 1> receives{{{from_->data(), std::size_t(bytes), before}}};
    const std::string what = text("a message of ", bytes, " bytes");
    enqueue([&] {
      to_->fill(seed(comm_.rank()), bytes);
      from_->fill(0xffffffffU, bytes);
      transport_.exchange(sends, receives, side_->stream());
    });
    check(what, [&] { return from_->num_wrong(seed(before), bytes); });
  }

  void check_gathering() {
    const auto number = [](int rank, int k) { return 0.5 + rank * num_gathered + k; };
    std::vector<double> here;
    for (int k = 0; k < num_gathered; ++k) here.push_back(number(comm_.rank(), k));
    const Numbers mine = view_from(exec_, "ashlar::comm::trial", here);
    const Numbers all("ashlar::comm::trial", std::size_t(num_gathered) * std::size_t(comm_.size()));
    enqueue([&] { transport_.all_gather(mine.data(), num_gathered * sizeof(double), all.data(), side_->stream()); });
    check("a gathering", [&] {
      const std::vector<double> there = list_of(exec_, all);
      std::int64_t wrong = 0;
      for (int rank = 0; rank < comm_.size(); ++rank) {
        for (int k = 0; k < num_gathered; ++k) {
          wrong += there[std::size_t(rank * num_gathered + k)] == number(rank, k) ? 0 : 1;
        }
      }
      return wrong;
    });
  }

  /// A rank whose device waits for a rank that could not enqueue would wait for ever. So all ranks agree first.
  template <class Work>
  void enqueue(const Work& work) {
    try {
      comm_.together(work);
    } catch (...) {
      transport_.abort();
      throw;
    }
  }

  template <class NumWrong>
  void check(const std::string& what, const NumWrong& num_wrong) {
    enqueue([&] {
      side_->get().fence("ashlar::comm: trial of messages on streams");
      if (num_wrong() == 0) return;
      throw CommError(text(transport_.name(), ": ", what, " on a stream came back wrong, on rank ", comm_.rank()),
                      "the data received are not the data sent",
                      "take another exchange mode, and look for a newer library");
    });
  }

  Exec exec_;
  const Communicator& comm_;
  StreamTransport& transport_;
  std::unique_ptr<PriorityInstance<Exec>> side_;
  std::unique_ptr<TrialMemoryOf<Exec>> to_, from_;
};

}  // namespace ashlar::impl

namespace ashlar {

/// Tries a transport with known data: from each rank to the next one in messages of each class of sizes, and from all
/// ranks to all. All received bytes are checked, also those beside the messages.
///
/// Collective over `comm`, the ranks of the transport.
///
/// Memory   two buffers of 8 MiB, freed on return.
/// Async    waits for `exec`.
/// Throws   on all ranks together: CommError, or RankError if it is the fault of another rank, if received data are
///          wrong or the transport fails. It has then been aborted.
template <execution_space Exec>
void check_stream_transport(const Exec& exec, const Communicator& comm, StreamTransport& transport) {
  impl::StreamTransportCheck(exec, comm, transport).run();
}

}  // namespace ashlar
