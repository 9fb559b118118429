#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "support/rank_sums.hpp"

// Checks of any Communicator, whatever its transport: all ranks call them, in any number.
namespace ashlar::testing {

inline std::vector<int> ranks_of(const Communicator& comm) {
  std::vector<int> ranks(static_cast<std::size_t>(comm.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// The rank `steps` further on, in a ring.
inline int neighbour(const Communicator& comm, int steps) { return (comm.rank() + comm.size() + steps) % comm.size(); }

/// So many numbers that only this pair has.
inline std::vector<double> numbers(int from, int to, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 1000.0 * from + to + 1e-4 * double(i % 9973);
  return values;
}

/// Rank r's part of a gathering, empty on every other one from rank 0 on.
inline std::vector<std::int64_t> part_of(int rank, int round) {
  return std::vector<std::int64_t>(static_cast<std::size_t>(rank % 2 == 0 ? 0 : 3 * rank + round), 100 * round + rank);
}

inline void check_gathers(const Communicator& comm) {
  EXPECT_EQ(comm.all_gather(comm.rank()), ranks_of(comm));

  struct Pair {
    double a;
    char b;
  };
  const std::vector<Pair> pairs = comm.all_gather(Pair{0.5 + comm.rank(), static_cast<char>('a' + comm.rank())});
  ASSERT_EQ(pairs.size(), static_cast<std::size_t>(comm.size()));
  for (int r = 0; r < comm.size(); ++r) {
    EXPECT_EQ(pairs[static_cast<std::size_t>(r)].a, 0.5 + r);
    EXPECT_EQ(pairs[static_cast<std::size_t>(r)].b, 'a' + r);
  }

  for (int round = 0; round < 3; ++round) {
    std::vector<std::int64_t> expected;
    for (int r = 0; r < comm.size(); ++r) {
      const auto part = part_of(r, round);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_EQ(comm.all_gather(part_of(comm.rank(), round)), expected);
  }
  EXPECT_TRUE(comm.all_gather(std::vector<double>{}).empty());
}

inline void check_strings(const Communicator& comm) {
  // Rank 0's is empty; others are longer than any small buffer, and hold zeros.
  const auto name = [](int rank) {
    return rank == 0 ? std::string() : text("rank ", rank) + std::string(50 * rank, '\0');
  };
  const std::vector<std::string> all = comm.all_gather(name(comm.rank()));
  ASSERT_EQ(all.size(), static_cast<std::size_t>(comm.size()));
  for (int r = 0; r < comm.size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], name(r));
  for (int root = 0; root < comm.size(); ++root) EXPECT_EQ(comm.broadcast(name(comm.rank()), root), name(root));
}

inline void check_sums(const Communicator& comm) {
  std::vector<double> sums;
  for (const double mine : shares(comm.rank(), 2)) sums.push_back(comm.sum(mine));
  EXPECT_EQ(sums, shares_in_rank_order(comm.size(), 2));
  EXPECT_EQ(comm.sum(std::int64_t{1} << 40), (std::int64_t{1} << 40) * comm.size());
  EXPECT_EQ(comm.max(-comm.rank()), 0);
  EXPECT_EQ(comm.max(comm.rank()), comm.size() - 1);
  for (int root = 0; root < comm.size(); ++root) EXPECT_EQ(comm.broadcast(10 + comm.rank(), root), 10 + root);
  comm.barrier();
}

inline void check_all_to_all(const Communicator& comm) {
  for (int round = 0; round < 3; ++round) {
    // From r to s go r + 2s numbers, or none where the sum of both is odd.
    const auto parcel = [&](int from, int to) {
      return numbers(from + 10 * round, to, (from + to) % 2 == 0 ? static_cast<std::size_t>(from + 2 * to) : 0);
    };
    std::vector<std::vector<double>> to;
    for (const int r : ranks_of(comm)) to.push_back(parcel(comm.rank(), r));
    const auto from = comm.all_to_all(to);
    ASSERT_EQ(from.size(), to.size());
    for (int r = 0; r < comm.size(); ++r) EXPECT_EQ(from[static_cast<std::size_t>(r)], parcel(r, comm.rank()));
  }
  // Nobody has anything for anybody.
  const std::vector<std::vector<char>> nothing(static_cast<std::size_t>(comm.size()));
  EXPECT_EQ(comm.all_to_all(nothing), nothing);
}

inline void check_all_to_all_of_wrong_length(const Communicator& comm) {
  // On the last rank there is a part too many. All say so, and can go on.
  const bool is_wrong = comm.rank() == comm.size() - 1;
  const std::vector<std::vector<int>> parts(static_cast<std::size_t>(comm.size() + (is_wrong ? 1 : 0)));
  if (is_wrong) {
    EXPECT_THROW(comm.all_to_all(parts), ShapeError);
  } else {
    EXPECT_THROW(comm.all_to_all(parts), RankError);
  }
  comm.barrier();
}

inline void check_splits(const Communicator& comm) {
  // Odd and even ranks apart, in reverse order; a negative colour is one like others.
  const int colour = comm.rank() % 2 == 0 ? -7 : 1000000;
  const Communicator part = comm.split(colour, -comm.rank());
  std::vector<int> members;
  for (int r = comm.size() - 1; r >= 0; --r) {
    if (r % 2 == comm.rank() % 2) members.push_back(r);
  }
  EXPECT_EQ(part.size(), static_cast<int>(members.size()));
  EXPECT_EQ(part.all_gather(comm.rank()), members);
  EXPECT_EQ(members[static_cast<std::size_t>(part.rank())], comm.rank());

  // Equal keys: the order of the ranks.
  EXPECT_EQ(comm.split(3, 5).all_gather(comm.rank()), ranks_of(comm));
  const Communicator alone = comm.split(comm.rank(), 0);
  EXPECT_TRUE(alone.is_alone());
  EXPECT_EQ(alone.sum(4), 4);
  // Parts of parts; groups that outlive the group that they were split from.
  Communicator outliving = comm.duplicate().split(0, 0);
  EXPECT_EQ(outliving.all_gather(comm.rank()), ranks_of(comm));
}

inline void check_split_by_host(const Communicator& comm) {
  const Communicator host = comm.split_by_host();
  const std::vector<std::string> names = host.all_gather(host.transport().host_name());
  for (const std::string& name : names) EXPECT_EQ(name, names[0]);
  const std::vector<std::string> all = comm.all_gather(comm.transport().host_name());
  EXPECT_EQ(host.size(), std::count(all.begin(), all.end(), names[0]));
  EXPECT_EQ(host.transport().num_hosts(), 1);
  EXPECT_EQ(comm.sum(host.rank() == 0 ? 1 : 0), comm.transport().num_hosts());
}

inline void check_explain(const Communicator& comm) {
  const std::string ranks = comm.size() == 1 ? "1 rank on " : text(comm.size(), " ranks on ");
  EXPECT_THAT(comm.explain(), ::testing::StartsWith(comm.transport().name() + ": " + ranks));
}

inline void check_together(const Communicator& comm) {
  EXPECT_EQ(comm.together([&] { return comm.rank() + 0.5; }), comm.rank() + 0.5);
  EXPECT_EQ(*comm.together([] { return std::make_unique<int>(3); }), 3);
  comm.together([] {});
}

/// Those ranks for which `fails` fail. They keep their own exception; others are told of the first.
inline void check_failures(const Communicator& comm, const std::function<bool(int)>& fails) {
  int first = -1;
  for (int r = comm.size() - 1; r >= 0; --r) first = fails(r) ? r : first;
  const auto work = [&] {
    if (fails(comm.rank())) {
      throw FileError(text("part", comm.rank(), ".mtx"), 7, "is no matrix", "it is a song", "sing it");
    }
  };
  if (first < 0) {
    comm.together(work);
  } else if (fails(comm.rank())) {
    try {
      comm.together(work);
      ADD_FAILURE() << "no error";
    } catch (const FileError& error) {
      EXPECT_EQ(error.file(), text("part", comm.rank(), ".mtx"));
      EXPECT_EQ(error.line(), 7);
    }
  } else {
    try {
      comm.together(work);
      ADD_FAILURE() << "no error";
    } catch (const RankError& error) {
      EXPECT_EQ(error.rank(), first);
      EXPECT_EQ(error.what(), text("rank ", first, ": part", first, ".mtx:7: is no matrix (it is a song); sing it"));
    }
  }
  // Nobody was left behind.
  EXPECT_EQ(comm.all_gather(comm.rank()), ranks_of(comm));
}

inline void check_failures(const Communicator& comm) {
  check_failures(comm, [](int) { return false; });
  check_failures(comm, [](int) { return true; });
  check_failures(comm, [](int r) { return r % 2 == 1; });
  for (int only = 0; only < comm.size(); ++only) check_failures(comm, [&](int r) { return r == only; });
}

/// Exceptions that are none of the library's.
inline void check_foreign_failures(const Communicator& comm) {
  const auto expect = [&]<class E>(const E& thrown, const std::string& message) {
    const auto work = [&] {
      if (comm.rank() == comm.size() - 1) throw thrown;
    };
    if (comm.rank() == comm.size() - 1) {
      EXPECT_THROW(comm.together(work), E);
    } else {
      try {
        comm.together(work);
        ADD_FAILURE() << "no error";
      } catch (const RankError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr(message));
      }
    }
  };
  expect(std::out_of_range("far away"), "far away");
  expect(42, "exception");
}

/// Round the ring `repeats` times, with messages that are made once, in both directions.
inline void check_ring(const Communicator& comm, std::size_t count, int repeats) {
  if (comm.is_alone()) return;
  const int left = neighbour(comm, -1), right = neighbour(comm, 1);
  std::vector<double> to_right(count), to_left(count), from_left(count), from_right(count);
  const std::size_t bytes = count * sizeof(double);
  const auto receive_left = comm.receive(from_left.data(), bytes, left, 0);
  const auto receive_right = comm.receive(from_right.data(), bytes, right, 1023);
  const auto send_right = comm.send(to_right.data(), bytes, right, 0);
  const auto send_left = comm.send(to_left.data(), bytes, left, 1023);
  const std::vector<Message*> all{receive_left.get(), receive_right.get(), send_right.get(), send_left.get()};
  for (Message* message : all) {
    EXPECT_TRUE(message->is_done()) << "never started";
    message->wait();
  }
  for (int i = 0; i < repeats; ++i) {
    std::ranges::copy(numbers(comm.rank() + 10 * i, right, count), to_right.begin());
    std::ranges::copy(numbers(comm.rank() + 10 * i + 5, left, count), to_left.begin());
    for (Message* message : all) message->start();
    if (i % 3 == 0) {
      while (!std::all_of(all.begin(), all.end(), [](Message* m) { return m->is_done(); })) continue;
    }
    // Receivers first or last.
    for (std::size_t k = 0; k < all.size(); ++k) all[i % 2 == 0 ? k : all.size() - 1 - k]->wait();
    ASSERT_EQ(from_left, numbers(left + 10 * i, comm.rank(), count)) << "repeat " << i;
    ASSERT_EQ(from_right, numbers(right + 10 * i + 5, comm.rank(), count)) << "repeat " << i;
  }
}

/// Messages of one tag keep their order; messages of two tags match by tag.
inline void check_tags(const Communicator& comm) {
  if (comm.is_alone()) return;
  const int left = neighbour(comm, -1), right = neighbour(comm, 1);
  constexpr int messages = 6;
  std::vector<int> to(messages), from(messages);
  std::vector<std::unique_ptr<Message>> sends, receives;
  for (int i = 0; i < messages; ++i) {
    to[i] = 100 * comm.rank() + i;
    sends.push_back(comm.send(&to[i], sizeof(int), right, i % 2));
    receives.push_back(comm.receive(&from[i], sizeof(int), left, i % 2));
  }
  for (auto& message : sends) message->start();
  // The odd ones are asked for first.
  for (int i = 1; i < messages; i += 2) receives[i]->start();
  for (int i = 0; i < messages; i += 2) receives[i]->start();
  for (auto& message : receives) message->wait();
  for (auto& message : sends) message->wait();
  for (int i = 0; i < messages; ++i) EXPECT_EQ(from[i], 100 * left + i);
}

/// A message of a duplicate never meets one of the original.
inline void check_duplicates_are_apart(const Communicator& comm) {
  if (comm.is_alone()) return;
  const Communicator other = comm.duplicate();
  const int left = neighbour(comm, -1), right = neighbour(comm, 1);
  const int to = comm.rank(), to_other = 1000 + comm.rank();
  int from = -1, from_other = -1;
  const auto send = comm.send(&to, sizeof to, right, 5), send_other = other.send(&to_other, sizeof to, right, 5);
  const auto receive = comm.receive(&from, sizeof from, left, 5);
  const auto receive_other = other.receive(&from_other, sizeof from, left, 5);
  for (Message* message : {send.get(), send_other.get(), receive_other.get(), receive.get()}) message->start();
  for (Message* message : {send.get(), send_other.get(), receive_other.get(), receive.get()}) message->wait();
  EXPECT_EQ(from, left);
  EXPECT_EQ(from_other, 1000 + left);
}

/// Several gatherings under way at once, each started again and again, with other collectives between.
inline void check_gatherings(const Communicator& comm) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<double> mine(3), all(3 * ranks), other_mine(1), other_all(ranks);
  const auto gathering = comm.gathering(mine.data(), 3 * sizeof(double), all.data());
  const auto other = comm.gathering(other_mine.data(), sizeof(double), other_all.data());
  const auto nothing = comm.gathering(nullptr, 0, nullptr);
  EXPECT_TRUE(gathering->is_done()) << "never started";
  gathering->wait();
  for (int i = 0; i < 50; ++i) {
    std::ranges::copy(numbers(comm.rank(), i, 3), mine.begin());
    other_mine[0] = -comm.rank() - i;
    gathering->start();
    other->start();
    nothing->start();
    EXPECT_EQ(comm.sum(1), comm.size());
    if (i % 2 == 0) {
      while (!other->is_done()) continue;
    }
    nothing->wait();
    other->wait();
    gathering->wait();
    for (int r = 0; r < comm.size(); ++r) {
      const auto place = static_cast<std::size_t>(r);
      const auto part = numbers(r, i, 3);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 3 * r)) << "rank " << r << ", repeat " << i;
      ASSERT_EQ(other_all[place], -r - i);
    }
  }
}

/// Started twice with no wait() between: refused, and the first goes on.
inline void check_start_without_wait(const Communicator& comm) {
  if (comm.is_alone()) return;
  const int left = neighbour(comm, -1), right = neighbour(comm, 1), to = comm.rank();
  int from = -1;
  const auto send = comm.send(&to, sizeof to, right, 0), receive = comm.receive(&from, sizeof from, left, 0);
  receive->start();
  EXPECT_THROW(receive->start(), CommError);
  send->start();
  EXPECT_THROW(send->start(), CommError);
  while (!receive->is_done()) continue;
  EXPECT_THROW(receive->start(), CommError);
  receive->wait();
  send->wait();
  EXPECT_EQ(from, left);
}

/// Messages that go while under way leave no trace.
inline void check_abandoned_messages(const Communicator& comm) {
  if (comm.is_alone()) return;
  const int left = neighbour(comm, -1), right = neighbour(comm, 1), to = comm.rank();
  int from = -1;
  {
    const auto receive = comm.receive(&from, sizeof from, left, 0);
    receive->start();
  }
  comm.barrier();
  {
    const auto send = comm.send(&to, sizeof to, right, 0);
    send->start();
  }
  const auto receive = comm.receive(&from, sizeof from, left, 0);
  receive->start();
  receive->wait();
  EXPECT_EQ(from, left);
}

inline void check_wrong_messages(const Communicator& comm) {
  int data = 0;
  const int other = neighbour(comm, 1);
  for (const int rank : {-1, comm.size()}) {
    EXPECT_THROW(comm.send(&data, sizeof data, rank, 0), CommError);
    EXPECT_THROW(comm.receive(&data, sizeof data, rank, 0), CommError);
  }
  for (const int tag : {-1, 1024}) {
    EXPECT_THROW(comm.send(&data, sizeof data, other, tag), CommError);
    EXPECT_THROW(comm.receive(&data, sizeof data, other, tag), CommError);
  }
}

struct Check {
  const char* name;
  std::function<void(const Communicator&)> run;
};

inline std::ostream& operator<<(std::ostream& out, const Check& check) { return out << check.name; }

/// All of them, as parameters of a test.
inline std::vector<Check> all_checks() {
  return {
      {"gathers", check_gathers},
      {"strings", check_strings},
      {"sums", check_sums},
      {"all_to_all", check_all_to_all},
      {"all_to_all_of_wrong_length", check_all_to_all_of_wrong_length},
      {"splits", check_splits},
      {"split_by_host", check_split_by_host},
      {"explain", check_explain},
      {"together", check_together},
      {"failures", [](const Communicator& comm) { check_failures(comm); }},
      {"foreign_failures", check_foreign_failures},
      {"ring", [](const Communicator& comm) { check_ring(comm, 7, 100); }},
      {"ring_of_nothing", [](const Communicator& comm) { check_ring(comm, 0, 5); }},
      {"ring_of_long_messages", [](const Communicator& comm) { check_ring(comm, 300000, 3); }},
      {"tags", check_tags},
      {"duplicates_are_apart", check_duplicates_are_apart},
      {"gatherings", check_gatherings},
      {"start_without_wait", check_start_without_wait},
      {"abandoned_messages", check_abandoned_messages},
      {"wrong_messages", check_wrong_messages},
  };
}

inline std::string name_of(const ::testing::TestParamInfo<Check>& info) { return info.param.name; }

}  // namespace ashlar::testing
