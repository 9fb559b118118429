// What is read, when, and by how many; and what comes of a read that fails.
#include <gmock/gmock.h>

#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/io/read_ahead.hpp>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ashlar::testing {
namespace {

using io::ReadAhead;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What was read, by item, in the order in which it began.
class Log {
 public:
  void add(int item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(item);
    }
    changed_.notify_all();
  }
  /// Waits until there are so many; and then a little, for one too many.
  std::vector<int> first(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return items_.size() >= count; });
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::lock_guard again(mutex_);
    return items_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> items_;
};

const std::vector<ReadAhead::Item> three_in_two_slots{{.slot = 0}, {.slot = 1}, {.slot = 0}};

TEST(ReadAhead, ReadsAsFarAsThereAreSlotsAndAroundAgain) {
  Log log;
  ReadAhead reader(
      three_in_two_slots, 2, {}, [&](int item, int) { log.add(item); }, [](int) {});
  EXPECT_THAT(log.first(2), ElementsAre(0, 1));
  reader.take(0);
  EXPECT_THAT(log.first(2), ElementsAre(0, 1));
  reader.give_back(0);
  EXPECT_THAT(log.first(3), ElementsAre(0, 1, 2));
  reader.take(1);
  reader.give_back(1);
  reader.take(2);
  reader.give_back(0);
  EXPECT_THAT(log.first(5), ElementsAre(0, 1, 2, 0, 1));
  reader.take(0);
}

TEST(ReadAhead, GoesOnWhereItIsToldOrNowhere) {
  for (const int first_again : {1, 3}) {
    Log log;
    ReadAhead reader(
        three_in_two_slots, 2, {.first_again = first_again}, [&](int item, int) { log.add(item); }, [](int) {});
    for (const int item : {0, 1, 2}) {
      reader.take(item);
      reader.give_back(item % 2);
    }
    if (first_again == 1) {
      EXPECT_THAT(log.first(5), ElementsAre(0, 1, 2, 1, 2));
    } else {
      EXPECT_THAT(log.first(3), ElementsAre(0, 1, 2));
    }
  }
}

TEST(ReadAhead, ReadsNothingBeforeItIsWantedIfToldSo) {
  Log log;
  ReadAhead reader(
      three_in_two_slots, 2, {.num_threads = 3, .ahead = false}, [&](int item, int) { log.add(item); }, [](int) {});
  EXPECT_THAT(log.first(0), IsEmpty());
  reader.take(0);
  EXPECT_THAT(log.first(1), ElementsAre(0));
  reader.take(1);
  EXPECT_THAT(log.first(2), ElementsAre(0, 1));
  reader.give_back(0);
  reader.give_back(1);
  // Those that are wanted together, and no more.
  reader.want(2, 2);
  EXPECT_THAT(log.first(3), ElementsAre(0, 1, 2));
  reader.take(2);
  reader.give_back(0);
  reader.want(0, 1);
  EXPECT_THAT(log.first(5), ::testing::UnorderedElementsAre(0, 1, 2, 0, 1));
  reader.take(0);
  reader.give_back(0);
  reader.take(1);
  EXPECT_THAT(log.first(5), ::testing::SizeIs(5));
}

TEST(ReadAhead, BeginsAnewWithWhatIsTakenOutOfTurn) {
  Log log;
  ReadAhead reader(
      three_in_two_slots, 2, {}, [&](int item, int) { log.add(item); }, [](int) {});
  EXPECT_THAT(log.first(2), ElementsAre(0, 1));
  reader.take(2);
  EXPECT_THAT(log.first(3), ElementsAre(0, 1, 2)) << "its slot was given back for it, and is the next one's again";
  reader.give_back(0);
  reader.take(0);
  // The same again, without having given it back.
  reader.take(0);
}

/// All threads of a barrier must be in read() at once for any of them to leave it.
TEST(ReadAhead, ReadsPiecesOfAnItemAndItemsByAllThreads) {
  std::mutex mutex;
  std::condition_variable changed;
  int arrived = 0;
  const auto meet = [&](int, int) {
    std::unique_lock lock(mutex);
    ++arrived;
    changed.notify_all();
    if (!changed.wait_for(lock, std::chrono::seconds(20), [&] { return arrived >= 3; }))
      throw std::runtime_error("alone");
  };
  ReadAhead reader({{.slot = 0, .num_pieces = 2}, {.slot = 1, .num_pieces = 1}}, 2,
                   {.num_threads = 3, .first_again = 2}, meet, [](int) {});
  reader.take(0);
  reader.take(1);
}

TEST(ReadAhead, ThrowsWhatReadingAnItemThrewWhenThatIsTakenAndReadsItAgainThen) {
  std::atomic<bool> is_broken = true;
  ReadAhead reader(
      three_in_two_slots, 2, {.num_threads = 2},
      [&](int item, int) {
        if (item == 1 && is_broken) throw std::runtime_error("item 1");
      },
      [](int) {});
  for (int attempt = 0; attempt < 2; ++attempt) {
    reader.take(0);
    reader.give_back(0);
    EXPECT_THROW(reader.take(1), std::runtime_error);
  }
  is_broken = false;
  for (const int item : {1, 2, 0, 1}) {
    reader.take(item);
    reader.give_back(item % 2);
  }
}

TEST(ReadAhead, WaitsForASlotThatWasGivenBackButIsStillRead) {
  std::atomic<bool> is_in_use = false, was_overwritten = false;
  ReadAhead reader(
      three_in_two_slots, 2, {},
      [&](int item, int) {
        if (item == 2 && is_in_use) was_overwritten = true;
      },
      [&](int slot) {
        while (slot == 0 && is_in_use) std::this_thread::yield();
      });
  reader.take(0);
  is_in_use = true;
  reader.give_back(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  is_in_use = false;
  reader.take(1);
  reader.take(2);
  EXPECT_FALSE(was_overwritten);
}

TEST(ReadAhead, EndsWithReadsUnderWay) {
  for (int attempt = 0; attempt < 50; ++attempt) {
    ReadAhead reader(
        {{0, 5}, {1, 5}}, 2, {.num_threads = 4},
        [](int, int) { std::this_thread::sleep_for(std::chrono::microseconds(50)); }, [](int) {});
    if (attempt % 2 == 0) reader.take(0);
  }
}

TEST(ReadAhead, StartsOverWithSlotsThatNobodyGaveBack) {
  Log log;
  ReadAhead reader(
      three_in_two_slots, 2, {}, [&](int item, int) { log.add(item); }, [](int) {});
  reader.take(0);
  reader.take(1);
  reader.start_over();
  reader.take(2);
  EXPECT_THAT(log.first(3), ElementsAre(0, 1, 2));
}

TEST(ReadAhead, RefusesWhatItCannotRead) {
  const auto make = [](std::vector<ReadAhead::Item> items, int num_slots, const ReadAhead::Options& options) {
    ReadAhead(
        std::move(items), num_slots, options, [](int, int) {}, [](int) {});
  };
  EXPECT_THROW(make({{.slot = 0, .num_pieces = 0}}, 1, {}), ArgumentError);
  EXPECT_THROW(make({{.slot = 1}}, 1, {}), ArgumentError);
  EXPECT_THROW(make({{.slot = -1}}, 1, {}), ArgumentError);
  EXPECT_THROW(make({}, -1, {}), ArgumentError);
  EXPECT_THROW(make({{.slot = 0}}, 1, {.num_threads = 0}), ArgumentError);
  EXPECT_THROW(make({{.slot = 0}}, 1, {.first_again = -1}), ArgumentError);
}

/// Many passes by several threads: who takes finds what belongs there, pieces and all, whatever was taken before.
TEST(ReadAhead, BringsWhatIsTaken) {
  constexpr int count = 7, num_slots = 3, pieces = 4;
  std::array<std::array<int, pieces>, num_slots> slots{};
  std::vector<ReadAhead::Item> items;
  for (int i = 0; i < count; ++i) items.push_back({.slot = i % num_slots, .num_pieces = i % 2 == 0 ? pieces : 1});
  ReadAhead reader(
      items, num_slots, {.num_threads = 4, .first_again = 2},
      [&](int item, int piece) { slots[items[item].slot][piece] = item; }, [](int) {});
  std::mt19937 random(1);
  int item = 0;
  for (int turn = 0; turn < 5000; ++turn) {
    reader.take(item);
    for (int piece = 0; piece < items[item].num_pieces; ++piece) {
      ASSERT_EQ(slots[items[item].slot][piece], item) << "turn " << turn << ", piece " << piece;
    }
    reader.give_back(items[item].slot);
    const bool jumps = random() % 16 == 0;
    item = jumps ? int(random() % count) : item + 1 < count ? item + 1 : 2;
  }
}

}  // namespace
}  // namespace ashlar::testing
