#pragma once

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/transport.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "support/thread_ranks_transport.hpp"
#include "support/thread_ranks_turn.hpp"

// The messages of run_ranks(): what ThreadTransport makes.
namespace ashlar::testing::thread_ranks {

inline constexpr auto never = Clock::time_point::max();

inline std::size_t place(int rank) { return static_cast<std::size_t>(rank); }

inline void poison(void* data, std::size_t bytes) {
  if (bytes > 0) std::memset(data, 0xff, bytes);
}

/// A message of `rank`; `wanted` says what it waits for.
class ThreadMessage : public Message {
 public:
  ThreadMessage(std::shared_ptr<Group> group, int rank) : group_(std::move(group)), rank_(rank) {}

  void start() final {
    const std::lock_guard lock(job().mutex);
    if (is_under_way_) {
      throw CommError(text("rank ", rank_, " starts a message anew"), "it has not waited for it",
                      "wait() first, even where is_done()");
    }
    begin();
    is_under_way_ = true;
    started_ = Clock::now();
    job().changed.notify_all();
  }

  bool is_done() final {
    {
      const std::lock_guard lock(job().mutex);
      if (!is_under_way_ || ready() <= Clock::now()) return true;
      give_up_late();
    }
    let_others_run();  // it may ask until another rank has done its part
    return false;
  }

  void wait() final {
    std::unique_lock lock(job().mutex);
    if (!is_under_way_) return;
    while (true) {
      const Clock::time_point time = ready();
      if (time <= Clock::now()) break;
      give_up_late();
      Turn::end();
      job().changed.wait_until(lock, std::min(time, started_ + job().options().time_out));
      lock.unlock();
      Turn::take();
      lock.lock();
    }
    finish();
    is_under_way_ = false;
    job().changed.notify_all();
  }

 protected:
  Job& job() const { return *group_->job; }
  int job_rank(int rank) const { return group_->members[place(rank)]; }

  std::shared_ptr<Parcel> parcel_of(const void* data, std::size_t bytes) const {
    return std::make_shared<Parcel>(Parcel{.data = data, .bytes = bytes, .arrival = job().arrival(job_rank(rank_))});
  }

  [[noreturn]] void has_left(int rank) const {
    throw RankHasLeft(text("rank ", rank, " has left"), text("rank ", rank_, " waits for ", wanted()),
                      "look for what rank " + std::to_string(rank) + " did");
  }

  // With the mutex held:
  virtual void begin() = 0;
  /// When it is done, or `never`, where that depends on what another rank has yet to do. Throws if that has left.
  virtual Clock::time_point ready() = 0;
  virtual void finish() = 0;
  virtual std::string wanted() const = 0;

  std::shared_ptr<Group> group_;
  int rank_;
  bool is_under_way_ = false;

 private:
  void give_up_late() const {
    if (Clock::now() < started_ + job().options().time_out) return;
    throw CommError(text("rank ", rank_, " has waited ", job().options().time_out.count(), " ms for ", wanted()),
                    "a deadlock, or another rank is slow", "look for what the other ranks wait for");
  }

  Clock::time_point started_{};
};

class Send final : public ThreadMessage {
 public:
  Send(std::shared_ptr<Group> group, int rank, const void* data, std::size_t bytes, int to, int tag)
      : ThreadMessage(std::move(group), rank), data_(data), bytes_(bytes), to_(to), tag_(tag) {}
  ~Send() override {
    const std::lock_guard lock(job().mutex);
    if (is_under_way_) parcel_->take();
  }

 private:
  Channel& channel() const { return group_->channels[{rank_, to_, tag_}]; }

  void begin() override {
    parcel_ = parcel_of(data_, bytes_);
    parcel_->is_corrupt = job().is_corrupt(job_rank(rank_));
    number_ = channel().sent++;
    channel().parcels[number_] = parcel_;
  }
  Clock::time_point ready() override {
    if (!job().options().rendezvous || channel().received > number_) return Clock::time_point::min();
    if (job().has_left(job_rank(to_))) has_left(to_);
    return never;
  }
  void finish() override { parcel_->take(); }
  std::string wanted() const override { return text("rank ", to_, " to receive from it with tag ", tag_); }

  const void* data_;
  std::size_t bytes_;
  int to_, tag_;
  std::int64_t number_ = 0;
  std::shared_ptr<Parcel> parcel_;
};

class Receive final : public ThreadMessage {
 public:
  Receive(std::shared_ptr<Group> group, int rank, void* data, std::size_t bytes, int from, int tag)
      : ThreadMessage(std::move(group), rank), data_(data), bytes_(bytes), from_(from), tag_(tag) {}
  ~Receive() override {
    const std::lock_guard lock(job().mutex);
    if (!is_under_way_) return;
    // Cancelled: what was for it goes to the next, if this is the last that was started.
    if (channel().received == number_ + 1) --channel().received;
  }

 private:
  Channel& channel() const { return group_->channels[{from_, rank_, tag_}]; }

  void begin() override {
    number_ = channel().received++;
    poison(data_, bytes_);
  }
  Clock::time_point ready() override {
    const auto found = channel().parcels.find(number_);
    if (found != channel().parcels.end()) return found->second->arrival;
    if (job().has_left(job_rank(from_))) has_left(from_);
    return never;
  }
  void finish() override {
    const auto found = channel().parcels.find(number_);
    const std::shared_ptr<Parcel> parcel = found->second;
    channel().parcels.erase(found);
    parcel->take();
    if (parcel->bytes != bytes_) {
      is_under_way_ = false;
      throw CommError(text("rank ", from_, " sent ", parcel->bytes, " bytes to rank ", rank_, " with tag ", tag_),
                      text(bytes_, " were expected"), "let both agree");
    }
    if (parcel->is_corrupt && bytes_ > 0) parcel->copy[bytes_ / 2] ^= std::byte{1};
    if (bytes_ > 0) std::memcpy(data_, parcel->copy.data(), bytes_);
  }
  std::string wanted() const override { return text("a message of rank ", from_, " with tag ", tag_); }

  void* data_;
  std::size_t bytes_;
  int from_, tag_;
  std::int64_t number_ = 0;
};

/// A collective: all parcels of all ranks, as they are, for each.
class Meet : public ThreadMessage {
 public:
  Meet(std::shared_ptr<Group> group, int rank, std::string kind, const void* mine, std::size_t bytes)
      : ThreadMessage(std::move(group), rank), kind_(std::move(kind)), mine_(mine), bytes_(bytes) {}
  ~Meet() override {
    const std::lock_guard lock(job().mutex);
    if (is_under_way_) leave();
  }

 protected:
  void begin() override {
    number_ = group_->next_meeting[place(rank_)]++;
    const auto [entry, is_new] = group_->meetings.try_emplace(number_);
    Meeting& meeting = entry->second;
    if (is_new) {
      meeting.kind = kind_;
      meeting.opened_by = rank_;
      meeting.parcels.resize(group_->members.size());
    } else if (meeting.kind != kind_) {
      throw CommError(text("rank ", rank_, " calls ", kind_),
                      text("rank ", meeting.opened_by, " calls ", meeting.kind, " in its place"),
                      "call collectives in one order on all ranks");
    }
    meeting.parcels[place(rank_)] = parcel_of(mine_, bytes_);
  }
  Clock::time_point ready() override {
    Clock::time_point last = Clock::time_point::min();
    const Meeting& meeting = this->meeting();
    for (std::size_t r = 0; r < meeting.parcels.size(); ++r) {
      if (meeting.parcels[r]) {
        last = std::max(last, meeting.parcels[r]->arrival);
      } else if (job().has_left(group_->members[r])) {
        has_left(static_cast<int>(r));
      } else {
        return never;
      }
    }
    return last;
  }
  void finish() override {
    for (const auto& parcel : meeting().parcels) parcel->take();
    try {
      use(meeting());
    } catch (...) {
      leave();
      is_under_way_ = false;
      throw;
    }
    leave();
  }
  /// What this rank makes of it.
  virtual void use(Meeting& meeting) = 0;
  std::string wanted() const override {
    std::string missing;
    const Meeting& meeting = group_->meetings.at(number_);
    for (std::size_t r = 0; r < meeting.parcels.size(); ++r) {
      if (!meeting.parcels[r]) missing += text(missing.empty() ? "rank " : ", ", r);
    }
    return text(missing, " to call ", kind_);
  }

 private:
  Meeting& meeting() const { return group_->meetings.at(number_); }
  void leave() {
    if (const auto& mine = meeting().parcels[place(rank_)]) mine->take();
    if (++meeting().finished == static_cast<int>(group_->members.size())) group_->meetings.erase(number_);
  }

  std::string kind_;
  const void* mine_;
  std::size_t bytes_;
  std::int64_t number_ = 0;
};

class Gathering final : public Meet {
 public:
  Gathering(std::shared_ptr<Group> group, int rank, const void* mine, std::size_t bytes, void* all)
      : Meet(std::move(group), rank, text("gathering of ", bytes, " bytes"), mine, bytes), bytes_(bytes), all_(all) {}

 private:
  void begin() override {
    Meet::begin();
    poison(all_, bytes_ * group_->members.size());
  }
  void use(Meeting& meeting) override {
    auto* to = static_cast<std::byte*>(all_);
    for (const auto& parcel : meeting.parcels) to = std::copy(parcel->copy.begin(), parcel->copy.end(), to);
  }

  std::size_t bytes_;
  void* all_;
};

template <class Use>
class MeetAndDo final : public Meet {
 public:
  MeetAndDo(std::shared_ptr<Group> group, int rank, std::string kind, const void* mine, std::size_t bytes, Use use)
      : Meet(std::move(group), rank, std::move(kind), mine, bytes), use_(std::move(use)) {}

 private:
  void use(Meeting& meeting) override { use_(meeting); }
  Use use_;
};

}  // namespace ashlar::testing::thread_ranks
