#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/impl/peer_segments.hpp>  // nothing else shows it without two GPUs
#include <ashlar/comm/transport.hpp>
#include <ashlar/host/file_descriptor.hpp>
#include <atomic>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/message.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

using impl::pass_descriptors;
using ::testing::HasSubstr;

/// Memory behind a file descriptor that says whose it is.
FileDescriptor memory_that_says(const std::string& what) {
  FileDescriptor memory(memfd_create("ashlar-test", MFD_CLOEXEC));
  EXPECT_EQ(pwrite(memory.get(), what.data(), what.size(), 0), ssize_t(what.size()));
  return memory;
}
std::string what_it_says(const FileDescriptor& memory) {
  char characters[64] = {};
  const ssize_t count = pread(memory.get(), characters, sizeof characters, 0);
  return count < 0 ? "nothing" : std::string(characters, std::size_t(count));
}

int num_open() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

/// All ranks of `comm` have what the others have, under their own names, and write where the others read.
void expect_passed(const Communicator& comm, const std::string& name) {
  const FileDescriptor mine = memory_that_says(text(name, " of rank ", comm.rank()));
  const std::vector<FileDescriptor> theirs = pass_descriptors(comm, mine.get());
  ASSERT_EQ(int(theirs.size()), comm.size());
  for (int other = 0; other < comm.size(); ++other) {
    const FileDescriptor& its = theirs[std::size_t(other)];
    EXPECT_EQ(its.is_open(), other != comm.rank());
    if (other != comm.rank()) {
      EXPECT_EQ(what_it_says(its), text(name, " of rank ", other));
    }
  }
  comm.barrier();  // all have looked
  const int next = (comm.rank() + 1) % comm.size(), before = (comm.rank() + comm.size() - 1) % comm.size();
  const std::string greeting = text("greetings from ", comm.rank());
  const int to = next == comm.rank() ? mine.get() : theirs[std::size_t(next)].get();
  EXPECT_EQ(pwrite(to, greeting.data(), greeting.size(), 0), ssize_t(greeting.size()));
  comm.barrier();
  EXPECT_THAT(what_it_says(mine), HasSubstr(text("greetings from ", before)));
}

TEST(DescriptorPassing, AllHaveWhatTheOthersHave) {
  const int before = num_open();
  for (int round = 0; round < 20; ++round) expect_passed(world(), text("round ", round));
  EXPECT_EQ(num_open(), before);
}

/// Sends what nobody has asked for to all sockets of ours on this host, as long as it is there.
class Stranger {
 public:
  Stranger() : thread_([this] { disturb(); }) {}
  ~Stranger() {
    is_done_ = true;
    thread_.join();
  }

  /// Messages that a socket of ours has in its queue, or had.
  int num_sent() const { return num_sent_; }

 private:
  void disturb() {
    const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    while (!is_done_) {
      std::ifstream sockets("/proc/net/unix");
      for (std::string line; std::getline(sockets, line);) {
        const std::size_t begin = line.find("@ashlar-");
        if (begin == std::string::npos) continue;
        sockaddr_un to{};
        to.sun_family = AF_UNIX;
        const std::string name = line.substr(begin + 1);
        std::copy(name.begin(), name.end(), to.sun_path + 1);
        const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
        for (const std::size_t length : {1, 20, 200}) {  // as long as what is expected, and not
          const std::vector<char> nonsense(length, '\1');
          const auto* const address = reinterpret_cast<const sockaddr*>(&to);
          if (sendto(socket.get(), nonsense.data(), length, 0, address, bytes) >= 0) ++num_sent_;
        }
      }
    }
  }

  std::atomic<bool> is_done_ = false;
  std::atomic<int> num_sent_ = 0;
  std::thread thread_;
};

TEST(DescriptorPassing, DropsWhatStrangersSend) {
  if (world().is_alone()) GTEST_SKIP() << "one rank takes nothing";
  const int before = num_open();
  {
    const Stranger stranger;
    // 20 rounds, and on until something has been sent: sockets are there for a short time only.
    int num_sent = 0;
    for (int round = 0; round < 20 || (num_sent == 0 && round < 10000); ++round) {
      expect_passed(world(), text("round ", round));
      num_sent = world().sum(stranger.num_sent());
    }
    EXPECT_GT(num_sent, 0);
  }
  EXPECT_EQ(num_open(), before);
}

TEST(DescriptorPassing, GroupsPassAtTheSameTime) {
  const Communicator group = world().split(world().rank() % 2, world().rank());
  for (int round = 0; round < 20; ++round) expect_passed(group, text("group ", world().rank() % 2));
}

/// pass_descriptors(world(), ...) throws on all ranks: here with this message, elsewhere with one that points here.
void expect_refused(int mine, double time_out_seconds, bool is_guilty, const std::string& message) {
  const auto pass = [&] { pass_descriptors(world(), mine, time_out_seconds); };
  if (is_guilty) {
    EXPECT_THAT(message_of<CommError>(pass), HasSubstr(message));
  } else {
    EXPECT_THAT(message_of<RankError>(pass), HasSubstr(message));
  }
}

TEST(DescriptorPassing, WhatOneRankHasNotAllAreTold) {
  const int before = num_open();
  {
    const FileDescriptor mine = memory_that_says("mine");
    const bool is_guilty = world().rank() == world().size() - 1;
    expect_refused(is_guilty ? -1 : mine.get(), 30, is_guilty, "comm: the file descriptor -1");
  }
  EXPECT_EQ(num_open(), before);
  expect_passed(world(), "after that");
}

TEST(DescriptorPassing, ARankThatGivesUpIsNotWaitedForForEver) {
  if (world().is_alone()) GTEST_SKIP() << "one rank waits for nobody";
  const int before = num_open();
  {
    const FileDescriptor mine = memory_that_says("mine");
    // Rank 0 gives up before it has sent anything. All others wait for it, and say so themselves.
    const double time_out = world().rank() == 0 ? -1 : 0.2;
    const std::string said = message_of<CommError>([&] { pass_descriptors(world(), mine.get(), time_out); });
    EXPECT_THAT(said, HasSubstr(world().rank() == 0
                                    ? text("of ", world().size() - 1, " ranks have not come")
                                    : "of 1 ranks have not come, and 0 ranks have not taken this one's (in 0.2 s)"));
  }
  EXPECT_EQ(num_open(), before);
  expect_passed(world(), "after that");
}

/// As many files as are open, and so many more, are all that this process may have.
class FewFiles {
 public:
  explicit FewFiles(int more) {
    getrlimit(RLIMIT_NOFILE, &before_);
    std::vector<FileDescriptor> next;
    for (int k = 0; k <= more; ++k) next.emplace_back(dup(STDIN_FILENO));
    rlimit few = before_;
    few.rlim_cur = rlim_t(next.back().get());
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  FewFiles(const FewFiles&) = delete;
  FewFiles& operator=(const FewFiles&) = delete;

 private:
  rlimit before_{};
};

TEST(DescriptorPassing, WhoHasNoRoomSaysSoToAll) {
  if (world().is_alone()) GTEST_SKIP() << "one rank takes nothing";
  const FileDescriptor mine = memory_that_says("mine");
  const bool is_guilty = world().rank() == 0;
  {
    const FewFiles few(is_guilty ? 1 : 100);  // for the socket
    expect_refused(mine.get(), 5, is_guilty, "this process may not have as many files open");
  }
  expect_passed(world(), "after that");
}

}  // namespace
}  // namespace ashlar::testing
