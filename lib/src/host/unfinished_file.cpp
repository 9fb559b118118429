#include <unistd.h>

#include <array>
#include <ashlar/host/unfinished_file.hpp>
#include <atomic>
#include <climits>
#include <utility>

namespace ashlar {

namespace {

enum class SlotState : int { free, taken, named };

/// What a signal handler may read: it allocates nothing and outlives every file.
struct Slot {
  std::atomic<SlotState> state{SlotState::free};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<SlotState>::is_always_lock_free);

std::array<Slot, 16> slots;

int take_slot(const std::string& path) {
  if (path.size() >= PATH_MAX) return -1;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    SlotState free = SlotState::free;
    if (!slots[k].state.compare_exchange_strong(free, SlotState::taken)) continue;
    path.copy(slots[k].path.data(), path.size());
    slots[k].path[path.size()] = '\0';
    slots[k].state = SlotState::named;
    return static_cast<int>(k);
  }
  return -1;
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)), slot_(take_slot(path_)) {}

UnfinishedFile::~UnfinishedFile() {
  ::unlink(path_.c_str());
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state = SlotState::free;
}

void UnfinishedFile::remove_all() noexcept {
  for (const Slot& slot : slots) {
    if (slot.state == SlotState::named) ::unlink(slot.path.data());
  }
}

}  // namespace ashlar
