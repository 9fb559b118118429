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
  using Numbers = Kokkos::View<double*, typename Exec::memory_space>;
  using Trial = impl::TrialMemoryOf<Exec>;
  const auto side = comm.together([&] { return std::make_unique<PriorityInstance<Exec>>(exec); });
  const auto to = comm.together([&] { return std::make_unique<Trial>(exec); }),
             from = comm.together([&] { return std::make_unique<Trial>(exec); });

  // A rank whose device waits for a rank that could not enqueue would wait for ever. So all ranks agree first.
  const auto enqueue = [&](const auto& work) {
    try {
      comm.together(work);
    } catch (...) {
      transport.abort();
      throw;
    }
  };
  const auto check = [&](const std::string& what, const auto& num_wrong) {
    enqueue([&] {
      side->get().fence("ashlar::comm: trial of messages on streams");
      if (num_wrong() == 0) return;
      throw CommError(text(transport.name(), ": ", what, " on a stream came back wrong, on rank ", comm.rank()),
                      "the data received are not the data sent",
                      "take another exchange mode, and look for a newer library");
    });
  };

  const int rank = comm.rank(), size = comm.size(), next = (rank + 1) % size, before = (rank + size - 1) % size;
  const auto seed = [](int sender) { return static_cast<std::uint32_t>(1 + sender); };
  for (const std::int64_t bytes : impl::trial_bytes) {
    if (comm.is_alone()) break;
    const std::array<StreamSend, 1> sends{{{to->data(), std::size_t(bytes), next}}};
    const std::array<StreamReceive, 1> receives{{{from->data(), std::size_t(bytes), before}}};
    enqueue([&] {
      to->fill(seed(rank), bytes);
      from->fill(0xffffffffU, bytes);
      transport.exchange(sends, receives, side->stream());
    });
    check(text("a message of ", bytes, " bytes"), [&] { return from->num_wrong(seed(before), bytes); });
  }

  constexpr int num_gathered = 4;
  const auto number = [](int of_rank, int k) { return 0.5 + of_rank * num_gathered + k; };
  std::vector<double> here;
  for (int k = 0; k < num_gathered; ++k) here.push_back(number(rank, k));
  const Numbers mine = impl::view_from(exec, "ashlar::comm::trial", here);
  const Numbers all("ashlar::comm::trial", std::size_t(num_gathered) * std::size_t(size));
  enqueue([&] { transport.all_gather(mine.data(), num_gathered * sizeof(double), all.data(), side->stream()); });
  check("a gathering", [&] {
    const std::vector<double> there = impl::list_of(exec, all);
    std::int64_t wrong = 0;
    for (int k = 0; k < size * num_gathered; ++k) wrong += there[std::size_t(k)] == number(0, k) ? 0 : 1;
    return wrong;
  });
}

}  // namespace ashlar
