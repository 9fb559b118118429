#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/comm/communicator.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace ashlar::testing {

/// The n-th message (from 0) that `rank` sends, collectives not counted: the lowest bit of its middle byte is flipped.
struct CorruptMessage {
  int rank = -1;
  std::int64_t message = -1;
};

/// How the ranks of run_ranks() speak with each other.
struct ThreadRanksOptions {
  /// A message arrives at some time up to this after its start; those of other tags or ranks may overtake it.
  std::chrono::microseconds max_delay{0};
  /// Times are drawn from it: the same in each run.
  std::uint64_t seed = 1;
  /// Sends complete only when the other rank has started to receive, as MPI may have it. Otherwise wait() takes a copy.
  bool rendezvous = false;
  /// The message that is damaged, if any.
  CorruptMessage corrupt{};
  /// The ranks pretend to be on so many hosts: the first ones on the first, and so on.
  int hosts = 1;
  /// A rank that waits longer for another has found a deadlock. It ends with an error.
  std::chrono::milliseconds time_out{60000};
};

/// Calls work(comm) on `ranks` ranks, which are threads of this process, and returns when all have returned.
///
/// The transport ("threads") is less kind than MPI, so that what is right only by luck goes wrong here:
/// - What a message is to receive lands in wait(), and nowhere else. Until then its buffer is full of bytes 0xff: as
///   floating-point numbers, NaN.
/// - What is sent is read when the message arrives, at the latest in the sender's wait(). Who overwrites it before has
///   sent the new data.
/// - Lengths that differ between sender and receiver, other collectives on other ranks, a message started again before
///   wait(): a CommError.
/// - Where a rank has left (work() has returned or thrown), those that wait for it end with a CommError that says so.
///   No deadlock lasts longer than `time_out`.
///
/// Kokkos: all ranks share one Kokkos. Each should compute on an instance of its own, rank_instance(); kernels of one
/// instance would run one after another. Nothing may fence globally. Where Kokkos counts copies of views without
/// atomics (a build without threads), the ranks run one at a time, and change where they wait for each other: a rank
/// that waits by other means than messages calls let_others_run() as it asks. GoogleTest: EXPECT_ and ASSERT_ may be
/// used on all ranks; ASSERT_ only leaves the rank's own work.
///
/// Throws   what work() threw: on the lowest rank where that is more than that another rank has left.
void run_ranks(int ranks, const std::function<void(Communicator&)>& work, const ThreadRanksOptions& options = {});

/// For a rank that asks again and again for what another one does, or is to be late.
void let_others_run(std::chrono::microseconds duration = std::chrono::microseconds(20));

/// An instance of the host's execution space that no other has, of one thread.
template <class Exec = Kokkos::DefaultHostExecutionSpace>
Exec rank_instance() {
  if constexpr (std::is_constructible_v<Exec, int>) {
    return Exec(1);  // OpenMP: a pool of one thread
  } else {
    return Kokkos::Experimental::partition_space(Exec(), 1)[0];
  }
}

}  // namespace ashlar::testing
