#include <ashlar/halo/impl/halo_messages.hpp>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <utility>

namespace ashlar::impl {

namespace {

// Collective. A group of its own for an exchange that all ranks agree about.
Communicator agreed(const Communicator& comm, const HaloPlan& plan, const HaloEntries& entries) {
  comm.together([&] {
    if (entries.block_size < 1 || entries.num_vectors < 1) {
      throw ArgumentError(
          text("halo: an exchange of ", entries.num_vectors, " vectors with blocks of ", entries.block_size),
          "there must be one of each at least", "give the matrix' block size, and how many vectors go at once");
    }
    if (plan.rank() != comm.rank() || plan.num_ranks() != comm.size()) {
      throw ArgumentError(text("halo: a plan of rank ", plan.rank(), " of ", plan.num_ranks(), " on rank ", comm.rank(),
                               " of ", comm.size()),
                          "a plan is good for the ranks that made it",
                          "pass that communicator, or one split from it in the same order");
    }
  });
  const std::vector<HaloEntries> all = comm.all_gather(entries);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].scalar_bytes == all[0].scalar_bytes && all[rank].block_size == all[0].block_size &&
        all[rank].num_vectors == all[0].num_vectors && all[rank].buffers == all[0].buffers) {
      continue;
    }
    const auto described = [&](const HaloEntries& its) {
      const std::string buffers =
          its.buffers == HaloBuffers::automatic ? "" : text(", ", to_string(its.buffers), " buffers");
      return text(its.num_vectors, " vectors with blocks of ", its.block_size, " of ", its.scalar_bytes, " bytes",
                  buffers);
    };
    throw ArgumentError(text("halo: rank ", rank, " exchanges ", described(all[rank])),
                        text("rank 0 exchanges ", described(all[0])), "make the exchange alike on all ranks");
  }

  std::vector<std::vector<std::int64_t>> counts(static_cast<std::size_t>(comm.size()));
  for (const HaloPlan::Neighbour& to : plan.to()) counts[static_cast<std::size_t>(to.rank)] = {to.count};
  const std::vector<std::vector<std::int64_t>> offered = comm.all_to_all(counts);
  comm.together([&] {
    std::vector<std::int64_t> expected(offered.size(), 0);
    for (const HaloPlan::Neighbour& from : plan.from()) expected[static_cast<std::size_t>(from.rank)] = from.count;
    for (std::size_t source = 0; source < offered.size(); ++source) {
      const std::int64_t count = offered[source].empty() ? 0 : offered[source][0];
      if (count == expected[source]) continue;
      throw ArgumentError(
          text("halo: rank ", comm.rank(), " expects ", expected[source], " entries from rank ", source),
          text("that one sends ", count), "pass plans that all ranks made together");
    }
  });
  return comm.duplicate();
}

}  // namespace

HaloStaging choose_staging(const Communicator& comm, HaloBuffers wanted, const DirectMessages& direct,
                           MemoryKind kind) {
  if (wanted == HaloBuffers::device && !direct.work) {
    throw ArgumentError("halo: messages from and to device memory were asked for", direct.why,
                        "leave HaloOptions::buffers automatic, or take an MPI that is made for these devices");
  }
  if (wanted == HaloBuffers::staged) return {true, "as asked for"};
  if (direct.work) return {false, direct.why};
  // Ranks that compute on the host need no stage, whatever others need.
  if (comm.transport().reach(kind) == Reach::certain) return {false, "this rank's memory is the host's"};
  return {true, direct.why};
}

std::string explain(const HaloFigures& figures, const HaloStaging& staging) {
  return text("halo: ", figures.sent.messages, figures.sent.messages == 1 ? " message" : " messages", " of ",
              figures.sent.bytes, " bytes sent and ", figures.received.messages, " of ", figures.received.bytes,
              " received in ", figures.exchanges, figures.exchanges == 1 ? " exchange" : " exchanges", ", ",
              staging.is_staged ? "staged through pinned memory" : "from and to the memory that the halo is in", " (",
              staging.why, ")");
}

HaloMessages::HaloMessages(const Communicator& comm, const HaloPlan& plan, const HaloEntries& entries)
    : comm_(agreed(comm, plan, entries)),
      num_sent_(static_cast<std::int64_t>(plan.send_index().size())),
      entry_bytes_(entries.bytes()) {
  for (const HaloPlan::Neighbour& to : plan.to()) {
    const bool is_packed = to.form == HaloForm::packed;
    send_begin_.push_back(is_packed ? to.begin : num_sent_);
    if (!is_packed) num_sent_ += to.count;
    send_bytes_.push_back(to.count * entry_bytes_);
  }
  for (const HaloPlan::Neighbour& from : plan.from()) receive_bytes_.push_back(from.count * entry_bytes_);
}

void HaloMessages::add_slot(const HaloPlan& plan, const void* send, void* receive) {
  const int tag = static_cast<int>(slots_.size());
  Slot slot;
  for (std::size_t k = 0; k < plan.to().size(); ++k) {
    const HaloPlan::Neighbour& to = plan.to()[k];
    slot.sends.push_back(comm_.send(static_cast<const char*>(send) + send_begin_[k] * entry_bytes_,
                                    static_cast<std::size_t>(to.count * entry_bytes_), to.rank, tag));
  }
  for (const HaloPlan::Neighbour& from : plan.from()) {
    slot.receives.push_back(comm_.receive(static_cast<char*>(receive) + from.begin * entry_bytes_,
                                          static_cast<std::size_t>(from.count * entry_bytes_), from.rank, tag));
  }
  slot.is_taken.resize(slot.receives.size(), 0);
  slots_.push_back(std::move(slot));
}

void HaloMessages::start_receives(int slot) {
  Slot& s = slots_[static_cast<std::size_t>(slot)];
  for (std::size_t k = 0; k < s.receives.size(); ++k) {
    s.is_taken[k] = 0;
    s.receives[k]->start();
  }
}

void HaloMessages::start_sends(int slot) {
  Slot& s = slots_[static_cast<std::size_t>(slot)];
  for (std::size_t k = 0; k < s.sends.size(); ++k) {
    s.sends[k]->start();
    sent_.add(send_bytes_[k]);
  }
}

template <class Wait>
void HaloMessages::timed(const Wait& wait) {
  const auto begin = std::chrono::steady_clock::now();
  wait();
  waited_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void HaloMessages::wait_for_sends(int slot) {
  timed([&] {
    for (const auto& message : slots_[static_cast<std::size_t>(slot)].sends) message->wait();
  });
}

void HaloMessages::wait_for_receives(int slot) {
  Slot& s = slots_[static_cast<std::size_t>(slot)];
  timed([&] {
    for (std::size_t k = 0; k < s.receives.size(); ++k) {
      s.receives[k]->wait();
      received_.add(receive_bytes_[k]);
    }
  });
}

int HaloMessages::wait_for_any(int slot) {
  Slot& s = slots_[static_cast<std::size_t>(slot)];
  int found = -1;
  timed([&] {
    for (bool are_left = true; are_left && found < 0;) {
      are_left = false;
      for (std::size_t k = 0; k < s.receives.size() && found < 0; ++k) {
        if (s.is_taken[k]) continue;
        are_left = true;
        if (s.receives[k]->is_done()) found = static_cast<int>(k);
      }
      // Where ranks share a processor, the others go on.
      if (are_left && found < 0) std::this_thread::yield();
    }
  });
  if (found >= 0) {
    s.receives[static_cast<std::size_t>(found)]->wait();
    s.is_taken[static_cast<std::size_t>(found)] = 1;
    received_.add(receive_bytes_[static_cast<std::size_t>(found)]);
  }
  return found;
}

void HaloMessages::wait_for_all_sends() noexcept {
  try {
    for (int slot = 0; slot < static_cast<int>(slots_.size()); ++slot) wait_for_sends(slot);
  } catch (const std::exception&) {
    // For a destructor: there is nobody to tell.
  }
}

}  // namespace ashlar::impl
