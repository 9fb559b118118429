#include <ashlar/bcsr/copy.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <ashlar/streaming/streamed_symmetric_matrix.hpp>
#include <string>
#include <support/instances.hpp>

#include "instrumentation/expect.hpp"

namespace ashlar::testing {
namespace {

using Streamed = StreamedMatrix<Matrix>;

/// A matrix in the host's memory, and vectors for it.
struct StreamingConduct : ::testing::Test {
  const Exec exec = other_instance();
  const Streamed::host_type host = copy_to<PinnedSpace>(exec, problems::stencil11<Matrix>(exec, 5, 4, 3, 3));
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> x{"test::x", std::size_t(host.num_cols()), 2};
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> y{"test::y", std::size_t(host.num_rows()), 2};
};

/// Kernels on the caller's instance, copies from the host's memory, nothing allocated, and nobody waits: where the
/// backend has events.
TEST_F(StreamingConduct, ProductsEnqueueAndSend) {
  for (const StructurePlacement structure : {StructurePlacement::resident, StructurePlacement::streamed}) {
    const Streamed streamed(exec, host,
                            {.num_subdivisions = 5, .num_buffers = 3, .structure = structure, .num_resident = 0});
    streamed.apply_repeated(exec, x, y, 1);  // team kernels give the instance its scratch memory
    expect_enqueued(
        exec, [&] { streamed.apply(exec, 2, x, 3, y); }, Promise::sends);
    expect_enqueued(
        exec, [&] { streamed.apply(exec, Kokkos::subview(x, Kokkos::ALL, 0), Kokkos::subview(y, Kokkos::ALL, 0)); },
        Promise::sends);
    expect_enqueued(
        exec, [&] { streamed.apply_repeated(exec, x, y, 3); }, Promise::sends);
  }
}

/// Nothing is allocated, and, where the backend has events, nobody waits.
TEST_F(StreamingConduct, ProductsByTurnsAreEnqueuedOnTwoInstances) {
  const Exec other = Kokkos::Experimental::partition_space(exec, 1)[0];
  const Streamed streamed(exec, host, {.num_subdivisions = 5, .num_resident = 0});
  streamed.apply_repeated(exec, other, x, y, 3);
  exec.fence();
  const Watcher watcher;
  streamed.apply_repeated(exec, other, x, y, 3);
  EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
  if (is_gpu_v<Exec>) {
    EXPECT_THAT(fences(watcher), ::testing::IsEmpty());
  }
  EXPECT_EQ(kernels(watcher).size(), 5u * 3u);
}

TEST_F(StreamingConduct, ProductsWithASymmetricMatrixEnqueueAndSend) {
  const auto half = symmetric_half(Kokkos::DefaultHostExecutionSpace(), host);
  const StreamedSymmetricMatrix<Matrix> streamed(exec, half, {.num_subdivisions = 5, .num_resident = 1});
  streamed.apply(exec, x, y);
  expect_enqueued(
      exec, [&] { streamed.apply(exec, 2, x, 3, y); }, Promise::sends);
}

/// It waits for the host's share, which is several pieces; but nothing is allocated.
TEST_F(StreamingConduct, ProductsWithAShareOfTheHostAllocateNothing) {
  const Streamed streamed(
      exec, host, {.num_subdivisions = 40, .host_share = 0.4, .copy_always = true, .product = {.num_vectors = 2}});
  streamed.apply(exec, x, y);
  exec.fence();
  const Watcher watcher;
  streamed.apply(exec, 2, x, 3, y);
  EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
  EXPECT_THAT(kernels(watcher), ::testing::Not(::testing::IsEmpty()));
}

/// Products wait for their copies, copies for the products with what they overwrite: no wait more, none less.
TEST_F(StreamingConduct, ProductsAndCopiesWaitForEachOther) {
  if (is_gpu_v<Exec>) GTEST_SKIP() << "events of a device wait there";
  const auto [products, copies] = two_instances();
  const Streamed streamed(products, copies, host,
                          {.num_subdivisions = 5, .num_resident = 0, .send_ahead = false, .copy_always = true});
  const Watcher watcher;
  streamed.apply(products, Kokkos::subview(x, Kokkos::ALL, 0), Kokkos::subview(y, Kokkos::ALL, 0));
  std::string order;
  for (const Happening& each : watcher.seen()) {
    if (each.kind == Happening::Kind::copy) order += 'c';
    if (each.kind == Happening::Kind::kernel && !each.in_copy) order += 'p';
    if (each.kind == Happening::Kind::fence && each.label == "ashlar::Event: wait") order += '|';
  }
  EXPECT_EQ(order, "cc|p|c|p|c|p|c|p|p");
}

/// All marks are there before; and where the backend has events nobody waits for them.
TEST_F(StreamingConduct, RecordedProductsAllocateNothingAndDoNotWait) {
  Streamed streamed(exec, host, {.num_subdivisions = 5, .num_resident = 0, .copy_always = true});
  streamed.apply_repeated(exec, x, y, 1);
  StreamTimeline timeline(exec, 15);
  const auto recording = streamed.record(timeline);
  exec.fence();
  const Watcher watcher;
  streamed.apply(exec, x, y);
  streamed.apply_repeated(exec, x, y, 3);  // beyond what there is room for
  EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
  if (is_gpu_v<Exec>) {
    EXPECT_THAT(faults(watcher.seen(), exec, Promise::sends), ::testing::IsEmpty());
  }
  EXPECT_EQ(timeline.spans().size(), 15u);
  EXPECT_GT(timeline.num_missed(), 0);
}

TEST_F(StreamingConduct, RecordedProductsWithAShareOfTheHostAllocateNothing) {
  Streamed streamed(exec, host,
                    {.num_subdivisions = 5, .host_share = 0.4, .copy_always = true, .product = {.num_vectors = 2}});
  streamed.apply(exec, x, y);
  StreamTimeline timeline(exec, 32);
  const auto recording = streamed.record(timeline);
  exec.fence();
  const Watcher watcher;
  streamed.apply(exec, 2, x, 3, y);
  EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
}

TEST_F(StreamingConduct, ATimelineWaitsForTheInstance) {
  const Watcher watcher;
  const StreamTimeline timeline(exec, 4);
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), ::testing::IsEmpty());
  EXPECT_THAT(fences(watcher), ::testing::Not(::testing::IsEmpty()));
}

TEST_F(StreamingConduct, SetUpWaitsForTheInstance) {
  expect_kept(exec, Promise::waits, [&] { return Streamed(exec, host, {.num_subdivisions = 5, .copy_always = true}); });
}

/// A product has a region of its own, and its kernels have the names of any product's.
TEST_F(StreamingConduct, ProductsAreLabelled) {
  const Streamed streamed(exec, host, {.num_subdivisions = 5, .num_resident = 0});
  exec.fence();
  const Watcher watcher;
  streamed.apply(exec, x, y);
  EXPECT_THAT(labels(watcher.seen(), Happening::Kind::region), ::testing::ElementsAre("ashlar::streaming::apply"));
  EXPECT_EQ(kernels(watcher).size(), 5u);
  EXPECT_THAT(kernels(watcher), ::testing::Each(::testing::StartsWith("ashlar::spmv[")));
}

}  // namespace
}  // namespace ashlar::testing
