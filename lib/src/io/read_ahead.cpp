#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/processors.hpp>
#include <ashlar/io/read_ahead.hpp>
#include <system_error>
#include <utility>

namespace ashlar::io {

namespace {

void check(const std::vector<ReadAhead::Item>& items, int num_slots, const ReadAhead::Options& options) {
  if (num_slots < 0) {
    throw ArgumentError(text("ReadAhead: ", num_slots, " slots"), "they are a number",
                        "pass one for each item at most");
  }
  const bool all_right = std::all_of(items.begin(), items.end(), [&](const ReadAhead::Item& item) {
    return item.num_pieces >= 1 && item.slot >= 0 && item.slot < num_slots;
  });
  if (!all_right) {
    throw ArgumentError(text("ReadAhead: items without pieces, or in none of ", num_slots, " slots"),
                        "each is read in one piece at least, into a slot", "number slots from 0");
  }
  if (options.num_threads < 1) {
    throw ArgumentError(text("ReadAhead: ", options.num_threads, " threads"), "somebody has to read", "pass 1 or more");
  }
  if (options.first_again < 0) {
    throw ArgumentError(text("ReadAhead: item ", options.first_again, " after the last one"),
                        "items are counted from 0", "pass the number of items to read each once");
  }
}

}  // namespace

ReadAhead::ReadAhead(std::vector<Item> items, int num_slots, const Options& options, Read read, Wait wait)
    : items_((check(items, num_slots, options), std::move(items))),
      options_(options),
      read_(std::move(read)),
      wait_(std::move(wait)),
      states_(items_.size()),
      slot_is_free_(num_slots, true) {
  try {
    const Processors processors = Processors::of_process();
    for (int i = 0; i < options_.num_threads; ++i) {
      threads_.emplace_back([this, processors, i] {
        processors.take();
        work(i);
      });
    }
  } catch (const std::system_error& error) {
    if (threads_.empty()) {
      throw Error("ReadAhead: no thread to read a file", error.what(), "end other programs, or raise the limit");
    }
  }
}

ReadAhead::~ReadAhead() { stop(); }

void ReadAhead::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  to_read_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool ReadAhead::may_begin(int item) const {
  return item < count() && slot_is_free_[items_[item].slot] &&
         (options_.ahead || (item >= first_wanted_ && item <= last_wanted_));
}

void ReadAhead::work(int thread) {
  std::unique_lock lock(mutex_);
  while (true) {
    to_read_.wait(lock, [&] { return is_stopped_ || (!is_paused_ && (next_piece_ > 0 || may_begin(next_item_))); });
    if (is_stopped_) return;
    const int item = next_item_, piece = next_piece_++;
    const int slot = items_[item].slot;
    State& state = states_[item];
    if (piece == 0) {
      slot_is_free_[slot] = false;
      state = State();
      state.pieces_left = items_[item].num_pieces;
      state.pieces.resize(items_[item].num_pieces);
    }
    if (next_piece_ == items_[item].num_pieces) {
      next_item_ = after(item);
      next_piece_ = 0;
    }
    ++num_being_read_;
    lock.unlock();
    to_read_.notify_one();  // of what is left
    std::exception_ptr error;
    Piece read{.thread = thread, .begin = {}, .end = {}};
    try {
      wait_(slot);
      read.begin = std::chrono::steady_clock::now();
      read_(item, piece);
      read.end = std::chrono::steady_clock::now();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    state.pieces[piece] = read;
    --num_being_read_;
    --state.pieces_left;
    if (error) {
      state.error = error;
      is_paused_ = true;  // until somebody has learned of it
    }
    state.is_read = state.pieces_left == 0;
    was_read_.notify_all();
  }
}

void ReadAhead::restart(std::unique_lock<std::mutex>& lock, int item) {
  is_paused_ = true;
  was_read_.wait(lock, [&] { return num_being_read_ == 0; });
  std::fill(states_.begin(), states_.end(), State());
  std::fill(slot_is_free_.begin(), slot_is_free_.end(), true);
  next_item_ = item;
  next_piece_ = 0;
  is_paused_ = false;
}

void ReadAhead::want(int first, int last) {
  {
    const std::lock_guard lock(mutex_);
    first_wanted_ = first;
    last_wanted_ = last;
  }
  to_read_.notify_all();
}

std::vector<ReadAhead::Piece> ReadAhead::take(int item) {
  std::unique_lock lock(mutex_);
  if (item != expected_) restart(lock, item);
  if (item < first_wanted_ || item > last_wanted_) first_wanted_ = last_wanted_ = item;
  to_read_.notify_all();
  State& state = states_[item];
  was_read_.wait(lock, [&] { return state.is_read || state.error; });
  if (item == last_wanted_) first_wanted_ = last_wanted_ = nothing;
  if (state.error) {
    expected_ = nothing;
    std::rethrow_exception(state.error);
  }
  state.is_read = false;
  expected_ = after(item);
  return std::move(state.pieces);
}

void ReadAhead::start_over() {
  const std::lock_guard lock(mutex_);
  expected_ = nothing;
}

void ReadAhead::give_back(int slot) {
  {
    const std::lock_guard lock(mutex_);
    slot_is_free_[slot] = true;
  }
  to_read_.notify_all();
}

}  // namespace ashlar::io
