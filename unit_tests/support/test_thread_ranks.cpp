#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/message.hpp"
#include "support/thread_ranks.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

TEST(ThreadRanks, EachRunsOnAThreadOfItsOwn) {
  std::atomic<int> sum = 0;
  std::vector<std::thread::id> threads(4);
  run_ranks(4, [&](Communicator& comm) {
    EXPECT_EQ(comm.size(), 4);
    sum += 1 << comm.rank();
    threads[static_cast<std::size_t>(comm.rank())] = std::this_thread::get_id();
    comm.barrier();
  });
  EXPECT_EQ(sum, 15);
  EXPECT_EQ(std::set<std::thread::id>(threads.begin(), threads.end()).size(), 4u);
}

TEST(ThreadRanks, WhatIsReceivedLandsInWait) {
  run_ranks(2, [](Communicator& comm) {
    double value = 3;
    if (comm.rank() == 0) {
      const auto send = comm.send(&value, sizeof value, 1, 0);
      send->start();
      send->wait();
      comm.barrier();
      return;
    }
    comm.barrier();
    const auto receive = comm.receive(&value, sizeof value, 0, 0);
    receive->start();
    EXPECT_TRUE(std::isnan(value));
    EXPECT_TRUE(receive->is_done());
    EXPECT_TRUE(std::isnan(value));
    receive->wait();
    EXPECT_EQ(value, 3);
  });
}

TEST(ThreadRanks, WhatIsGatheredLandsInWait) {
  run_ranks(2, [](Communicator& comm) {
    const double mine = comm.rank();
    std::vector<double> all(2);
    const auto gathering = comm.gathering(&mine, sizeof mine, all.data());
    gathering->start();
    comm.barrier();
    EXPECT_TRUE(gathering->is_done());
    EXPECT_TRUE(std::isnan(all[0]) && std::isnan(all[1]));
    gathering->wait();
    EXPECT_THAT(all, ::testing::ElementsAre(0, 1));
  });
}

TEST(ThreadRanks, WhoOverwritesWhatIsUnderWaySendsTheNew) {
  run_ranks(2, [](Communicator& comm) {
    int value = 3;
    if (comm.rank() == 0) {
      const auto send = comm.send(&value, sizeof value, 1, 0);
      send->start();
      value = 4;  // too early
      send->wait();
      value = 5;
      comm.barrier();
    } else {
      comm.barrier();
      const auto receive = comm.receive(&value, sizeof value, 0, 0);
      receive->start();
      receive->wait();
      EXPECT_EQ(value, 4);
    }
  });
}

TEST(ThreadRanks, SendsMayWaitForTheReceiver) {
  run_ranks(2,
            [](Communicator& comm) {
              const int value = 3;
              int received = 0;
              const auto send = comm.send(&value, sizeof value, 1 - comm.rank(), 0);
              const auto receive = comm.receive(&received, sizeof received, 1 - comm.rank(), 0);
              send->start();
              comm.barrier();
              EXPECT_FALSE(send->is_done());
              comm.barrier();
              receive->start();
              comm.barrier();
              EXPECT_TRUE(send->is_done());
              send->wait();
              receive->wait();
              EXPECT_EQ(received, 3);
            },
            {.rendezvous = true});
}

TEST(ThreadRanks, MessagesOfTwoTagsOvertakeEachOther) {
  bool later_came_first = false;
  run_ranks(2,
            [&](Communicator& comm) {
              for (int i = 0; i < 20; ++i) {
                comm.barrier();
                int values[2] = {1, 2};
                std::vector<std::unique_ptr<Message>> messages;
                for (const int tag : {0, 1}) {
                  int* const value = &values[tag];
                  messages.push_back(comm.rank() == 0 ? comm.send(value, sizeof(int), 1, tag)
                                                      : comm.receive(value, sizeof(int), 0, tag));
                  messages.back()->start();
                }
                if (comm.rank() == 1) {
                  while (!messages[1]->is_done()) continue;
                  if (!messages[0]->is_done()) later_came_first = true;
                }
                for (auto& message : messages) message->wait();
                EXPECT_EQ(values[0], 1);
                EXPECT_EQ(values[1], 2);
              }
            },
            {.max_delay = std::chrono::milliseconds(5)});
  EXPECT_TRUE(later_came_first);
}

TEST(ThreadRanks, OneMessageIsDamagedOnDemand) {
  std::vector<std::vector<int>> received;
  run_ranks(2,
            [&](Communicator& comm) {
              std::vector<int> values(8, 5 + comm.rank()), from(8);
              const auto send = comm.send(values.data(), 8 * sizeof(int), 1 - comm.rank(), 0);
              const auto receive = comm.receive(from.data(), 8 * sizeof(int), 1 - comm.rank(), 0);
              for (int i = 0; i < 4; ++i) {
                EXPECT_EQ(comm.sum(1), 2);  // does not count
                send->start();
                receive->start();
                send->wait();
                receive->wait();
                if (comm.rank() == 1) received.push_back(from);
                EXPECT_TRUE(comm.rank() == 1 || from == std::vector<int>(8, 6));
              }
            },
            {.corrupt = {.rank = 0, .message = 2}});
  const std::vector<int> whole(8, 5);
  std::vector<int> damaged = whole;
  damaged[4] ^= 1;
  EXPECT_THAT(received, ::testing::ElementsAre(whole, whole, damaged, whole));
}

TEST(ThreadRanks, ARankThatFailsEndsThoseThatWaitForIt) {
  std::vector<std::string> said(4);
  EXPECT_THROW(run_ranks(4,
                         [&](Communicator& comm) {
                           if (comm.rank() == 2) throw std::out_of_range("too far");
                           try {
                             comm.barrier();
                           } catch (const CommError& error) {
                             said[static_cast<std::size_t>(comm.rank())] = error.what();
                             throw;
                           }
                         }),
               std::out_of_range);
  for (const int rank : {0, 1, 3}) EXPECT_THAT(said[static_cast<std::size_t>(rank)], HasSubstr(" has left"));
  EXPECT_THAT(said[0], HasSubstr("rank 0 waits for rank"));
}

TEST(ThreadRanks, ARankThatReturnsEarlyIsMissed) {
  int data = 0;
  const auto message = message_of<CommError>([&] {
    run_ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 1) return;
      const auto receive = comm.receive(&data, sizeof data, 1, 9);
      receive->start();
      receive->wait();
    });
  });
  EXPECT_THAT(message, HasSubstr("rank 1 has left (rank 0 waits for a message of rank 1 with tag 9)"));
}

TEST(ThreadRanks, WhatARankSentBeforeItLeftArrives) {
  run_ranks(2, [](Communicator& comm) {
    int value = 7;
    if (comm.rank() == 0) {
      const auto send = comm.send(&value, sizeof value, 1, 0);
      send->start();
      send->wait();
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    int received = 0;
    const auto receive = comm.receive(&received, sizeof received, 0, 0);
    receive->start();
    receive->wait();
    EXPECT_EQ(received, 7);
  });
}

TEST(ThreadRanks, TheFirstRanksErrorIsThrown) {
  EXPECT_THAT(message_of<std::runtime_error>([] {
                run_ranks(3, [](Communicator& comm) {
                  if (comm.rank() > 0) throw std::runtime_error("rank " + std::to_string(comm.rank()));
                });
              }),
              "rank 1");
}

TEST(ThreadRanks, ADeadlockEnds) {
  const auto message = message_of<CommError>([] {
    run_ranks(2,
              [](Communicator& comm) {
                int data = 0;
                const auto receive = comm.receive(&data, sizeof data, 1 - comm.rank(), 0);
                receive->start();
                receive->wait();
              },
              {.time_out = std::chrono::milliseconds(50)});
  });
  EXPECT_THAT(message, HasSubstr("has waited 50 ms for a message of rank"));
}

TEST(ThreadRanks, PollingForEverEnds) {
  EXPECT_THROW(run_ranks(2,
                         [](Communicator& comm) {
                           int data = 0;
                           const auto receive = comm.receive(&data, sizeof data, 1 - comm.rank(), 0);
                           receive->start();
                           while (!receive->is_done()) std::this_thread::yield();
                         },
                         {.time_out = std::chrono::milliseconds(50)}),
               CommError);
}

TEST(ThreadRanks, TwoCollectivesAtOnceAreFound) {
  EXPECT_THAT(message_of<CommError>([] {
                run_ranks(2, [](Communicator& comm) {
                  if (comm.rank() == 0) {
                    comm.barrier();
                  } else {
                    comm.sum(1.0);
                  }
                });
              }),
              HasSubstr("call collectives in one order"));
}

TEST(ThreadRanks, LengthsThatDifferAreFound) {
  EXPECT_THAT(message_of<CommError>([] {
                run_ranks(2, [](Communicator& comm) {
                  double data[2] = {};
                  const auto message = comm.rank() == 0 ? comm.send(data, sizeof(double), 1, 0)
                                                        : comm.receive(data, 2 * sizeof(double), 0, 0);
                  message->start();
                  message->wait();
                });
              }),
              HasSubstr("rank 0 sent 8 bytes to rank 1 with tag 0 (16 were expected)"));
}

/// 0 + 1 + ... + (n - 1), by kernels on this instance. (nvcc takes no device lambda in a test's body.)
template <class Exec>
double sum_of_numbers(const Exec& exec, int n) {
  const Kokkos::View<double*, typename Exec::memory_space> x(Kokkos::view_alloc(exec, "test::x"), n);
  double sum = 0;
  Kokkos::parallel_for(
      "test::fill", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int k) { x(k) = double(k); });
  Kokkos::parallel_reduce(
      "test::sum", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int k, double& s) { s += x(k); }, sum);
  return sum;
}

TEST(ThreadRanks, KernelsRunOnAllRanksAtOnce) {
  run_ranks(4, [](Communicator& comm) {
    const auto exec = rank_instance();
    for (int i = 0; i < 50; ++i) EXPECT_EQ(comm.sum(sum_of_numbers(exec, 1000)), 4 * 499500.0);
  });
}

}  // namespace
}  // namespace ashlar::testing
