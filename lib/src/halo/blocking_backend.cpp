#include <ashlar/halo/impl/blocking_backend.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>

namespace ashlar::impl {

NeighbourMessages::NeighbourMessages(Communicator comm, std::vector<NeighbourMessage> to,
                                     std::vector<NeighbourMessage> from)
    : comm_(std::move(comm)), to_(std::move(to)), from_(std::move(from)) {}

void NeighbourMessages::add_slot(const void* send, void* receive) {
  const int tag = static_cast<int>(slots_.size());
  Slot slot;
  for (const NeighbourMessage& to : to_) {
    slot.sends.push_back(
        comm_.send(static_cast<const char*>(send) + to.begin, static_cast<std::size_t>(to.count), to.rank, tag));
  }
  for (const NeighbourMessage& from : from_) {
    slot.receives.push_back(
        comm_.receive(static_cast<char*>(receive) + from.begin, static_cast<std::size_t>(from.count), from.rank, tag));
  }
  slot.is_taken.resize(slot.receives.size(), 0);
  slots_.push_back(std::move(slot));
}

void NeighbourMessages::start_receives(int slot) {
  Slot& s = slots_[static_cast<std::size_t>(slot)];
  for (std::size_t k = 0; k < s.receives.size(); ++k) {
    s.is_taken[k] = 0;
    s.receives[k]->start();
  }
}

void NeighbourMessages::start_sends(int slot) {
  Slot& s = slots_[static_cast<std::size_t>(slot)];
  for (std::size_t k = 0; k < s.sends.size(); ++k) {
    s.sends[k]->start();
    sent_.add(to_[k].count);
  }
}

template <class Wait>
void NeighbourMessages::timed(const Wait& wait) {
  const auto begin = std::chrono::steady_clock::now();
  wait();
  waited_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void NeighbourMessages::wait_for_sends(int slot) {
  timed([&] {
    for (const auto& message : slots_[static_cast<std::size_t>(slot)].sends) message->wait();
  });
}

void NeighbourMessages::wait_for_receives(int slot) {
  Slot& s = slots_[static_cast<std::size_t>(slot)];
  timed([&] {
    for (std::size_t k = 0; k < s.receives.size(); ++k) {
      s.receives[k]->wait();
      received_.add(from_[k].count);
    }
  });
}

int NeighbourMessages::wait_for_any(int slot) {
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
      // Other ranks may share the processor.
      if (are_left && found < 0) std::this_thread::yield();
    }
  });
  if (found >= 0) {
    s.receives[static_cast<std::size_t>(found)]->wait();
    s.is_taken[static_cast<std::size_t>(found)] = 1;
    received_.add(from_[static_cast<std::size_t>(found)].count);
  }
  return found;
}

void NeighbourMessages::wait_for_all_sends() noexcept {
  try {
    for (int slot = 0; slot < static_cast<int>(slots_.size()); ++slot) wait_for_sends(slot);
  } catch (const std::exception&) {
    // A destructor cannot report it.
  }
}

}  // namespace ashlar::impl
