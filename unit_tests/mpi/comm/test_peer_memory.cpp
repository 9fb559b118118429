#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/impl/peer_segments.hpp>  // nothing else shows a wrong word, or that all methods work, or none
#include <ashlar/comm/peer/peer_memory.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/comm/transport.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "support/message.hpp"
#include "support/mpi_world.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Exec = Kokkos::DefaultExecutionSpace;

constexpr MemoryKind kind = memory_kind_of<Exec::memory_space>;

KOKKOS_FUNCTION std::uint64_t number_of(int from, int to, std::size_t i) {
  return 1 + i + (100 + 10 * to + from) * 10000000ULL;
}

void write_to(const Exec& exec, std::byte* memory, std::size_t count, int from, int to) {
  auto* const numbers = reinterpret_cast<std::uint64_t*>(memory) + std::size_t(from) * count;
  Kokkos::parallel_for(
      "test::write", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, count),
      KOKKOS_LAMBDA(std::size_t i) { numbers[i] = number_of(from, to, i); });
}

std::size_t num_unlike(const Exec& exec, const std::byte* memory, std::size_t count, int from, int to, bool are_zero) {
  const auto* const numbers = reinterpret_cast<const std::uint64_t*>(memory) + std::size_t(from) * count;
  std::size_t wrong = 0;
  Kokkos::parallel_reduce(
      "test::read", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, count),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum) {
        sum += numbers[i] != (are_zero ? 0 : number_of(from, to, i)) ? 1 : 0;
      },
      wrong);
  return wrong;
}

/// Files of this process that are shared memory: those of a process that is killed would stay.
int num_names() {
  int count = 0;
  const std::string of_process = text("ashlar-", getpid(), "-");
  for (const auto& file : std::filesystem::directory_iterator("/dev/shm")) {
    if (file.path().filename().string().starts_with(of_process)) ++count;
  }
  return count;
}

/// Each rank writes so many numbers to each other one, which reads them. Returns what the memory says of itself.
std::string expect_shared(const Communicator& comm, std::size_t count) {
  const Exec exec;
  const int rank = comm.rank(), size = comm.size();
  const PeerMemory memory(exec, comm.duplicate(), std::size_t(size) * count * sizeof(std::uint64_t));
  EXPECT_EQ(num_names(), 0);
  for (int from = 0; from < size; ++from) {
    EXPECT_EQ(num_unlike(exec, memory.own(), count, from, rank, true), 0U) << "zeros at first";
  }
  comm.barrier();
  for (int to = 0; to < size; ++to) write_to(exec, memory.of(to), count, rank, to);
  exec.fence("test: written");
  comm.barrier();
  for (int from = 0; from < size; ++from) {
    EXPECT_EQ(num_unlike(exec, memory.own(), count, from, rank, false), 0U) << "from rank " << from;
  }
  return memory.explain();
}

Communicator world_sharing_by(PeerSharing sharing) {
  Communicator comm = world().duplicate();
  comm.use_peer_sharing(sharing);
  return comm;
}

TEST(PeerMemoryOverMpi, IsSharedInTheWayThatIsAskedFor) {
  const PeersFound found = find_peer_memory(Exec(), world());
  if (!found.work) GTEST_SKIP() << found.why;
  for (const PeerSharing sharing : {PeerSharing::automatic, PeerSharing::handles, PeerSharing::descriptors}) {
    if (sharing == PeerSharing::descriptors && kind == MemoryKind::hip) continue;  // CUDA's alone
    const Communicator comm = world_sharing_by(sharing);
    // On GPUs less than a page, and some.
    for (const std::size_t count : {1, 1000, 700001}) {
      SCOPED_TRACE(text(to_string(sharing), ", ", count, " numbers"));
      const std::string said = expect_shared(comm, count);
      if (kind == MemoryKind::host) {
        EXPECT_EQ(said, "memory shared between processes");
      } else if (sharing == PeerSharing::automatic) {
        EXPECT_THAT(said, HasSubstr("memory of the other devices, by "));
      } else {
        EXPECT_EQ(said, text("memory of the other devices, by ",
                             sharing == PeerSharing::handles ? "handles" : "file descriptors", " (as asked for)"));
      }
    }
  }
}

TEST(PeerMemoryOverMpi, EachWordThatAnotherRankWroteIsLookedAt) {
  const Exec exec;
  constexpr int ranks = 3, own = 1, count = ranks * ashlar::impl::peer_check_words;
  const Kokkos::View<std::uint32_t*, Exec> words("test::words", count);
  for (int from = 0; from < ranks; ++from) {
    Kokkos::parallel_for("test::write", Kokkos::RangePolicy<Exec>(exec, 0, ashlar::impl::peer_check_words),
                         ashlar::impl::WritePeerCheck{words.data() + from * ashlar::impl::peer_check_words, from, own});
  }
  const auto num_wrong = [&] {
    int wrong = 0;
    Kokkos::parallel_reduce("test::read", Kokkos::RangePolicy<Exec>(exec, 0, count),
                            ashlar::impl::CountWrongPeerWords{words.data(), own}, wrong);
    return wrong;
  };
  EXPECT_EQ(num_wrong(), 0);
  for (const int place : {0, ashlar::impl::peer_check_words, count - 1}) {
    Kokkos::deep_copy(exec, Kokkos::subview(words, place), 7U);
    EXPECT_GT(num_wrong(), 0) << place;
    const auto from = place / ashlar::impl::peer_check_words;
    Kokkos::deep_copy(exec, Kokkos::subview(words, place),
                      ashlar::impl::peer_check_word(from, own, place % ashlar::impl::peer_check_words));
    EXPECT_EQ(num_wrong(), 0) << place;
  }
}

/// Segments of all ranks. The last rank reaches only its own memory, and takes it for the memory of others.
struct MisledSegments {
  const impl::PeerSegments& right;
  std::byte* wrong;

  const Communicator& comm() const { return right.comm(); }
  std::byte* at(int rank) const {
    const int last = comm().size() - 1;
    return comm().rank() == last && rank != last ? wrong : right.at(rank);
  }
};

TEST(PeerMemoryOverMpi, MemoryThatOnlyLooksSharedIsFoundAtTheStart) {
  const Exec exec;
  const PeersFound found = find_peer_memory(exec, world());
  if (world().is_alone() || !found.work) GTEST_SKIP() << "takes ranks that share memory";
  const std::size_t bytes = impl::peer_check_bytes(world().size());
  const Kokkos::View<std::byte*, Exec> wrong("test::wrong", bytes);
  const auto segments = impl::make_peer_segments(world().duplicate(), kind, bytes, [](const impl::PeerSegments&) {});
  // Memory of a device may still hold what an earlier check wrote.
  const Kokkos::View<std::byte*, Exec, Kokkos::MemoryUnmanaged> own(segments->at(world().rank()), bytes);
  Kokkos::deep_copy(exec, own, std::byte(0));
  exec.fence();
  world().barrier();
  EXPECT_THAT(message_of<Error>([&] {
                impl::check_peer_memory(exec, MisledSegments{*segments, wrong.data()});
              }),
              HasSubstr("64 words that other ranks wrote to memory of rank "));
  impl::check_peer_memory(exec, *segments);
}

TEST(PeerMemoryOverMpi, RanksAskForOneWay) {
  if (world().is_alone()) GTEST_SKIP() << "one rank asks for one";
  const bool is_last = world().rank() == world().size() - 1;
  const Communicator comm = world_sharing_by(is_last ? PeerSharing::descriptors : PeerSharing::handles);
  EXPECT_THAT(message_of<ArgumentError>([&] { PeerMemory(Exec(), comm.duplicate(), 64); }),
              HasSubstr(text("by descriptors on rank ", world().size() - 1, ", by handles on rank 0")));
}

/// Segments that the last rank finds wrong in the first so many ways.
std::unique_ptr<impl::PeerSegments> segments_after(int failures) {
  int tries = 0;
  auto segments = impl::make_peer_segments(world().duplicate(), kind, 64, [&](const impl::PeerSegments& those) {
    const bool fails = tries++ < failures;
    those.comm().together([&] {
      if (!fails || those.comm().rank() != those.comm().size() - 1) return;
      throw CommError("comm: words are not there", "this is a test", "go on");
    });
  });
  EXPECT_EQ(tries, failures + 1);
  return segments;
}

TEST(PeerMemoryOverMpi, WhereOneWayDoesNotWorkAllTakeTheNext) {
  const PeersFound found = find_peer_memory(Exec(), world());
  if (kind != MemoryKind::cuda || !found.work) GTEST_SKIP() << "takes CUDA, and a device for each rank";
  EXPECT_EQ(segments_after(0)->explain(), "memory of the other devices, by handles");
  EXPECT_THAT(segments_after(1)->explain(),
              ::testing::AllOf(HasSubstr("memory of the other devices, by file descriptors (handles do not work: "),
                               HasSubstr("comm: words are not there: this is a test)")));
  EXPECT_THAT(message_of<CommError>([] { segments_after(2); }),
              ::testing::AllOf(HasSubstr("by handles: "), HasSubstr("; by descriptors: ")));
  EXPECT_EQ(segments_after(0)->explain(), "memory of the other devices, by handles");
}

TEST(PeerMemoryOverMpi, WhereNoWayWorksAllAreToldWhy) {
  if (kind != MemoryKind::host) GTEST_SKIP() << "takes a build without devices";
  const auto make = [] { impl::make_peer_segments(world().duplicate(), MemoryKind::cuda, 64, [](const auto&) {}); };
  EXPECT_THAT(message_of<CommError>(make),
              HasSubstr("by handles: device: memory that processes share: this build has neither CUDA nor HIP; "
                        "by descriptors: device: memory behind a file descriptor: this build has no CUDA"));
}

}  // namespace
}  // namespace ashlar::testing
