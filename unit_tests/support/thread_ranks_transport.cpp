#include "support/thread_ranks_transport.hpp"

#include <algorithm>
#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/error.hpp>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

namespace ashlar::testing::thread_ranks {

namespace {

constexpr auto never = Clock::time_point::max();

std::size_t place(int rank) { return static_cast<std::size_t>(rank); }

void poison(void* data, std::size_t bytes) {
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
    const std::lock_guard lock(job().mutex);
    if (!is_under_way_) return true;
    const bool done = ready() <= Clock::now();
    if (!done) give_up_late();
    return done;
  }

  void wait() final {
    std::unique_lock lock(job().mutex);
    if (!is_under_way_) return;
    while (true) {
      const Clock::time_point time = ready();
      if (time <= Clock::now()) break;
      give_up_late();
      job().changed.wait_until(lock, std::min(time, started_ + job().options().time_out));
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

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(std::shared_ptr<Group> group, int rank) : group_(std::move(group)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(group_->members.size()); }
  std::string name() const override { return "threads"; }
  std::string explain() const override {
    return text("of one process, delays up to ", group_->job->options().max_delay.count(), " us");
  }
  std::string host_name() const override { return text("host", host_of(rank_)); }
  int num_hosts() const override {
    std::map<int, int> hosts;
    for (int r = 0; r < size(); ++r) ++hosts[host_of(r)];
    return static_cast<int>(hosts.size());
  }

  void barrier() override {
    meet("barrier", nullptr, 0, [](Meeting&) {});
  }

  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    meet(text("all_gather of ", bytes, " bytes"), mine, bytes, [&](Meeting& meeting) {
      auto* to = static_cast<std::byte*>(all);
      for (const auto& parcel : meeting.parcels) to = std::copy(parcel->copy.begin(), parcel->copy.end(), to);
    });
  }

  void all_gather_varying(const void* mine, const std::vector<std::size_t>& bytes_of, void* all) override {
    meet("all_gather_varying", mine, bytes_of.at(place(rank_)), [&](Meeting& meeting) {
      auto* to = static_cast<std::byte*>(all);
      for (std::size_t r = 0; r < bytes_of.size(); ++r) {
        require_bytes(r, meeting.parcels[r]->bytes, bytes_of[r]);
        to = std::copy(meeting.parcels[r]->copy.begin(), meeting.parcels[r]->copy.end(), to);
      }
    });
  }

  void all_to_all(const void* send, const std::vector<std::size_t>& send_bytes, void* receive,
                  const std::vector<std::size_t>& receive_bytes) override {
    // In front of the data, how they are cut.
    const std::size_t total = std::accumulate(send_bytes.begin(), send_bytes.end(), std::size_t{0});
    const std::size_t head = send_bytes.size() * sizeof(std::size_t);
    std::vector<std::byte> packed(head + total);
    std::memcpy(packed.data(), send_bytes.data(), head);
    if (total > 0) std::memcpy(packed.data() + head, send, total);
    meet("all_to_all", packed.data(), packed.size(), [&](Meeting& meeting) {
      auto* to = static_cast<std::byte*>(receive);
      for (std::size_t r = 0; r < receive_bytes.size(); ++r) {
        const std::vector<std::byte>& from = meeting.parcels[r]->copy;
        std::vector<std::size_t> cut(send_bytes.size());
        std::memcpy(cut.data(), from.data(), head);
        require_bytes(r, cut[place(rank_)], receive_bytes[r]);
        const std::size_t begin = std::accumulate(cut.begin(), cut.begin() + rank_, head);
        const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
        to = std::copy(first, first + static_cast<std::ptrdiff_t>(receive_bytes[r]), to);
      }
    });
  }

  void broadcast(void* data, std::size_t bytes, int root) override {
    if (root < 0 || root >= size()) {
      throw CommError(text("rank ", root, " cannot broadcast"), text("there are ", size(), " ranks"), "name another");
    }
    meet(text("broadcast of ", bytes, " bytes by rank ", root), data, rank_ == root ? bytes : 0, [&](Meeting& meeting) {
      const std::vector<std::byte>& from = meeting.parcels[place(root)]->copy;
      if (rank_ != root) std::copy(from.begin(), from.end(), static_cast<std::byte*>(data));
    });
  }

  std::unique_ptr<Transport> split(int colour, int key) override {
    const std::array<int, 2> mine{colour, key};
    std::shared_ptr<Group> group;
    int rank = 0;
    meet("split", mine.data(), sizeof mine, [&](Meeting& meeting) {
      std::vector<std::pair<int, int>> order;  // key, rank
      for (int r = 0; r < size(); ++r) {
        std::array<int, 2> its{};
        std::memcpy(its.data(), meeting.parcels[place(r)]->copy.data(), sizeof its);
        if (its[0] == colour) order.emplace_back(its[1], r);
      }
      std::sort(order.begin(), order.end());
      std::vector<int> members;
      for (const auto& [its_key, r] : order) {
        if (r == rank_) rank = static_cast<int>(members.size());
        members.push_back(group_->members[place(r)]);
      }
      std::shared_ptr<Group>& shared = meeting.groups[colour];
      if (!shared) shared = std::make_shared<Group>(group_->job, members);
      group = shared;
    });
    return make_transport(group, rank);
  }

  std::unique_ptr<Message> send(const void* data, std::size_t bytes, int to, int tag) override {
    require(to, tag);
    return std::make_unique<Send>(group_, rank_, data, bytes, to, tag);
  }
  std::unique_ptr<Message> receive(void* data, std::size_t bytes, int from, int tag) override {
    require(from, tag);
    return std::make_unique<Receive>(group_, rank_, data, bytes, from, tag);
  }
  std::unique_ptr<Message> gathering(const void* mine, std::size_t bytes, void* all) override {
    return std::make_unique<Gathering>(group_, rank_, mine, bytes, all);
  }

  [[noreturn]] void abort(int exit_code) noexcept override { std::_Exit(exit_code); }

 private:
  int host_of(int rank) const { return group_->job->host_of(group_->members[place(rank)]); }

  template <class Use>
  void meet(std::string kind, const void* mine, std::size_t bytes, const Use& use) {
    MeetAndDo<Use> message(group_, rank_, std::move(kind), mine, bytes, use);
    message.start();
    message.wait();
  }

  void require(int other, int tag) const {
    if (other < 0 || other >= size() || tag < 0 || tag > 1023) {
      throw CommError(text("no message with tag ", tag, " between ranks ", rank_, " and ", other),
                      text("there are ", size(), " ranks, and tags 0 to 1023"), "name others");
    }
  }
  void require_bytes(std::size_t rank, std::size_t sent, std::size_t expected) const {
    if (sent == expected) return;
    throw CommError(text("rank ", rank, " brings ", sent, " bytes to a collective"),
                    text("rank ", rank_, " expects ", expected), "let all agree");
  }

  std::shared_ptr<Group> group_;
  int rank_;
};

}  // namespace

Job::Job(int ranks, const ThreadRanksOptions& options)
    : options_(options), num_ranks_(ranks), sent_(place(ranks)), left_(place(ranks)) {
  for (int r = 0; r < ranks; ++r) random_.emplace_back(options.seed * 1000003 + static_cast<std::uint64_t>(r));
}

Clock::time_point Job::arrival(int rank) {
  if (options_.max_delay.count() == 0) return Clock::time_point::min();
  std::uniform_int_distribution<std::int64_t> delay(0, options_.max_delay.count());
  return Clock::now() + std::chrono::microseconds(delay(random_[place(rank)]));
}

void Job::leave(int rank) {
  const std::lock_guard lock(mutex);
  left_[place(rank)] = true;
  changed.notify_all();
}

void Parcel::take() {
  if (is_copied) return;
  const auto* const from = static_cast<const std::byte*>(data);
  copy.assign(from, from + bytes);
  is_copied = true;
}

std::unique_ptr<Transport> make_transport(std::shared_ptr<Group> group, int rank) {
  return std::make_unique<ThreadTransport>(std::move(group), rank);
}

}  // namespace ashlar::testing::thread_ranks
