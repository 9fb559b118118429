#include "support/thread_ranks_transport.hpp"

#include <algorithm>
#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/transport.hpp>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

#include "support/thread_ranks_messages.hpp"

namespace ashlar::testing::thread_ranks {

namespace {

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
