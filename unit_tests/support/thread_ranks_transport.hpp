#pragma once

#include <ashlar/comm/transport.hpp>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "support/thread_ranks.hpp"

// The transport of run_ranks(). All that the ranks share is behind the one mutex of the job.
namespace ashlar::testing::thread_ranks {

using Clock = std::chrono::steady_clock;

/// What a rank gets that waits for another which will not come. run_ranks() looks for a better reason.
class RankHasLeft : public CommError {
  using CommError::CommError;
};

/// All ranks of one run_ranks().
class Job {
 public:
  Job(int ranks, const ThreadRanksOptions& options);

  const ThreadRanksOptions& options() const { return options_; }
  int host_of(int rank) const { return static_cast<int>(std::int64_t{rank} * options_.hosts / num_ranks_); }

  /// With the mutex held, all that follow.
  Clock::time_point arrival(int rank);
  /// Whether the message that `rank` starts is to be damaged.
  bool is_corrupt(int rank) {
    return rank == options_.corrupt.rank && sent_[place(rank)]++ == options_.corrupt.message;
  }
  bool has_left(int rank) const { return left_[place(rank)]; }

  void leave(int rank);

  std::mutex mutex;
  std::condition_variable changed;

 private:
  static std::size_t place(int rank) { return static_cast<std::size_t>(rank); }

  ThreadRanksOptions options_;
  int num_ranks_;
  std::vector<std::mt19937_64> random_;
  std::vector<std::int64_t> sent_;
  std::vector<bool> left_;
};

/// Data under way: where they are, or a copy of them.
struct Parcel {
  const void* data = nullptr;
  std::size_t bytes = 0;
  Clock::time_point arrival{};
  bool is_corrupt = false;
  bool is_copied = false;
  std::vector<std::byte> copy{};

  /// After this the sender may do as it likes with its data.
  void take();
};

/// One collective that the ranks of a group meet in.
struct Meeting {
  std::string kind;
  int opened_by = 0;
  std::vector<std::shared_ptr<Parcel>> parcels;
  int finished = 0;
  /// The groups that a split makes, by colour.
  std::map<int, std::shared_ptr<struct Group>> groups{};
};

/// Messages from one rank to another with one tag. The n-th that is sent is the n-th that is received.
struct Channel {
  std::int64_t sent = 0, received = 0;
  std::map<std::int64_t, std::shared_ptr<Parcel>> parcels{};
};

/// The ranks of one communicator.
struct Group {
  Group(std::shared_ptr<Job> its_job, std::vector<int> its_members)
      : job(std::move(its_job)), members(std::move(its_members)), next_meeting(members.size()) {}

  std::shared_ptr<Job> job;
  /// Their numbers in the job.
  std::vector<int> members;
  /// By rank: the number of the next collective that it calls.
  std::vector<std::int64_t> next_meeting;
  std::map<std::int64_t, Meeting> meetings{};
  struct Route {
    int from, to, tag;
    auto operator<=>(const Route&) const = default;
  };
  std::map<Route, Channel> channels{};
};

std::unique_ptr<Transport> make_transport(std::shared_ptr<Group> group, int rank);

}  // namespace ashlar::testing::thread_ranks
