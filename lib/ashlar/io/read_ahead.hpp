#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ashlar::io {

/// Threads that read the items of a list, one after another and around again, before somebody takes them.
///
/// Each item has a slot into which it is read, in pieces; several items may share one. An item is read when its slot
/// has been given back, and the items before it are read or being read.
class ReadAhead {
 public:
  struct Item {
    int slot = 0;
    int num_pieces = 1;
  };
  struct Options {
    int num_threads = 1;
    /// The item that follows the last one; the number of items if none does.
    int first_again = 0;
    /// True if items are read before somebody wants them (want(), take()).
    bool ahead = true;
  };
  /// read(item, piece) reads a piece of an item into its slot. Called by any of the threads, for several pieces
  /// simultaneously.
  using Read = std::function<void(int item, int piece)>;
  /// wait(slot) returns when nobody reads the contents of a returned slot any more. As `read`.
  using Wait = std::function<void(int slot)>;

  /// Begins to read, by fewer threads where the system has no more.
  ///
  /// Throws   ArgumentError for items without pieces or slots that are not there, and for no thread; Error where the
  ///          system has none.
  ReadAhead(std::vector<Item> items, int num_slots, const Options& options, Read read, Wait wait);
  /// Waits for the pieces that are being read.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Items first .. last are to be taken next: they are read, whether others are or not.
  void want(int first, int last);

  /// When a piece was read, and by which of the threads.
  struct Piece {
    int thread = 0;
    std::chrono::steady_clock::time_point begin, end;
  };

  /// Returns when the item has been read, with the time of each of its pieces. Items taken in order have been read
  /// ahead. If another item than the next is taken, reading restarts with it, and all slots count as returned.
  ///
  /// Throws   what reading it threw; taken again, it is read again.
  std::vector<Piece> take(int item);

  /// The slot may be overwritten: wait(slot) returns when it has.
  void give_back(int slot);

  /// Forgets the items read ahead, and returns all slots: reading restarts with the next item that is taken.
  void start_over();

 private:
  struct State {
    int pieces_left = 0;
    bool is_read = false;
    std::exception_ptr error;
    std::vector<Piece> pieces;
  };

  static constexpr int nothing = -1;

  int count() const { return static_cast<int>(items_.size()); }
  int after(int item) const { return item + 1 < count() ? item + 1 : options_.first_again; }
  bool may_begin(int item) const;
  void work(int thread);
  void stop();
  void restart(std::unique_lock<std::mutex>& lock, int item);

  std::vector<Item> items_;
  Options options_;
  Read read_;
  Wait wait_;

  std::mutex mutex_;  // of all below
  std::condition_variable to_read_, was_read_;
  std::vector<State> states_;
  std::vector<bool> slot_is_free_;
  int next_item_ = 0, next_piece_ = 0;  // to be read
  int expected_ = 0;                    // to be taken
  int first_wanted_ = nothing, last_wanted_ = nothing;
  int num_being_read_ = 0;
  bool is_paused_ = false, is_stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ashlar::io
