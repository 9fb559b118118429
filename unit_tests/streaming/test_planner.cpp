// The plan of a streamed product: its model of time on machines made up for the purpose, and what it decides.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <ashlar/streaming/tune.hpp>
#include <chrono>
#include <support/compare.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = BcsrMatrix<double>;
using Streamed = StreamedMatrix<Matrix>;

/// A link of 1000 bytes a second, blocks of 10 bytes.
StreamingFigures slow_link() {
  StreamingFigures figures;
  figures.link_bytes_per_second = figures.link_bytes_per_second_beside = 1000;
  figures.block_seconds = 1e-3;
  return figures;
}

impl::StreamedWork parts_of(const std::vector<std::int64_t>& blocks, int num_resident = 0, int num_buffers = 2) {
  impl::StreamedWork work;
  work.bytes_of_sent_block = 10;
  work.estimate.num_resident = num_resident;
  work.estimate.num_buffers = num_buffers;
  work.estimate.num_subdivisions = static_cast<int>(blocks.size());
  std::int64_t first = 0;
  for (const std::int64_t count : blocks) {
    work.parts.push_back({first, count, first, count});
    first += 16 * ((count + 15) / 16);  // so that as many blocks are sent as there are
  }
  return work;
}

TEST(StreamingPlan, TakesAsLongAsTheLinkWhereThatIsTheBound) {
  // 300 blocks take 3 s on the link, and 0.3 s on the device.
  const StreamingPlan plan = impl::predict(parts_of({75, 75, 75, 75}), slow_link());
  EXPECT_NEAR(plan.seconds, 3, 1e-12);
  EXPECT_NEAR(plan.link_seconds, 3, 1e-12);
  EXPECT_NEAR(plan.device_seconds, 0.3, 1e-12);
  // With one buffer copies and products take turns.
  EXPECT_NEAR(impl::predict(parts_of({75, 75, 75, 75}, 0, 1), slow_link()).seconds, 3.3, 1e-12);
  // The last of an odd number shares its buffer with the first, whose next copy waits for its product.
  EXPECT_NEAR(impl::predict(parts_of({100, 100, 100}), slow_link()).seconds, 3.1, 1e-12);
  // Each copy has a start.
  StreamingFigures figures = slow_link();
  figures.copy_start_seconds = 0.5;
  EXPECT_NEAR(impl::predict(parts_of({75, 75, 75, 75}), figures).seconds, 5, 1e-12);
}

TEST(StreamingPlan, TakesAsLongAsTheDeviceWhereThatIsTheBound) {
  StreamingFigures figures = slow_link();
  figures.block_seconds = 0.1;
  figures.product_start_seconds = 0.25;
  EXPECT_NEAR(impl::predict(parts_of({75, 75, 75, 75}), figures).seconds, 31, 1e-9);
}

TEST(StreamingPlan, KnowsThatTheHostEnqueuesFirst) {
  // 4 parts take 2 s to enqueue: the device waits for the last of them, and so does the host's own work.
  StreamingFigures figures = slow_link();
  figures.enqueue_seconds = 0.5;
  figures.host_block_seconds = figures.host_block_seconds_beside = 0.01;
  impl::StreamedWork work = parts_of({10, 10, 10, 10});
  EXPECT_NEAR(impl::predict(work, figures).seconds, 2, 1e-9);
  work.host_blocks = 100;
  EXPECT_NEAR(impl::predict(work, figures).seconds, 3, 1e-9);
}

TEST(StreamingPlan, SendsNothingThatHasRoom) {
  // Two buffers hold two subdivisions for good; and what stays is not sent.
  EXPECT_NEAR(impl::predict(parts_of({100, 100}), slow_link()).seconds, 0.2, 1e-12);
  EXPECT_NEAR(impl::predict(parts_of({100, 100, 100}, 1), slow_link()).seconds, 0.3, 1e-12);
  EXPECT_NEAR(impl::predict(parts_of({100, 75, 75, 75, 75}, 1), slow_link()).seconds, 3, 1e-12);
}

TEST(StreamingPlan, KnowsThatHostAndLinkDisturbEachOther) {
  StreamingFigures figures = slow_link();
  figures.link_bytes_per_second_beside = 500;
  figures.host_block_seconds = 0.01;
  figures.host_block_seconds_beside = 0.02;
  // The host is done after 2 s, when the link has sent 1000 bytes; the other 2000 take 2 s more.
  impl::StreamedWork work = parts_of({100, 100, 100});
  work.host_blocks = 100;
  const StreamingPlan link_is_late = impl::predict(work, figures);
  EXPECT_NEAR(link_is_late.link_seconds, 4, 1e-9);
  EXPECT_NEAR(link_is_late.host_seconds, 2, 1e-9);
  // The link is done after 6 s, when the host has multiplied 300 blocks; the other 700 take 7 s.
  work.host_blocks = 1000;
  const StreamingPlan host_is_late = impl::predict(work, figures);
  EXPECT_NEAR(host_is_late.link_seconds, 6, 1e-9);
  EXPECT_NEAR(host_is_late.host_seconds, 13, 1e-9);
  EXPECT_NEAR(host_is_late.seconds, 13, 1e-9);
}

TEST(StreamingPlan, CountsTheVectorsOfTheHost) {
  // Its part of x takes 1 s, and of y 1 s, which the link has not for copies: those take 3 s.
  StreamingFigures figures = slow_link();
  figures.host_block_seconds = figures.host_block_seconds_beside = 0.01;
  impl::StreamedWork work = parts_of({75, 75, 75, 75});
  work.host_vector_bytes = 1000;
  work.host_blocks = 100;
  const StreamingPlan link_is_late = impl::predict(work, figures);
  EXPECT_NEAR(link_is_late.link_seconds, 4, 1e-9);
  EXPECT_NEAR(link_is_late.host_seconds, 3, 1e-9);
  EXPECT_NEAR(link_is_late.seconds, 4, 1e-9);
  // It multiplies for 5 s.
  work.host_blocks = 500;
  EXPECT_NEAR(impl::predict(work, figures).seconds, 7, 1e-9);
  // In two pieces it waits for half of x, and half of y comes back while it multiplies.
  work.estimate.host_bytes = 2 * impl::HostPieces::least_bytes;
  EXPECT_NEAR(impl::predict(work, figures).seconds, 6, 1e-9);
  // Who multiplies 4 blocks in 0.04 s waits for all of both.
  work.host_blocks = 4;
  work.parts = parts_of({10}).parts;
  EXPECT_NEAR(impl::predict(work, figures).seconds, 0.5 + 0.02 + 1, 1e-9);
  work.parts = parts_of({75, 75, 75, 75}).parts;
  work.host_blocks = 500;
  work.estimate.host_bytes = 0;
  // Enqueuing takes 2 s, while its vectors are under way.
  figures.enqueue_seconds = 0.5;
  EXPECT_NEAR(impl::predict(work, figures).seconds, 7, 1e-9);
  figures.enqueue_seconds = 0.75;
  EXPECT_NEAR(impl::predict(work, figures).seconds, 8, 1e-9);
}

TEST(StreamingPlan, KnowsThatTheHostEnqueuesBetweenPieces) {
  StreamingFigures figures = slow_link();
  figures.host_block_seconds = figures.host_block_seconds_beside = 0.01;
  // The host multiplies for 20 s; most copies take 0.01 s each, the last 16 of them 1 s, and the last product 0.1 s,
  // which hides the next copy.
  constexpr int first = impl::HostPieces::first, large = 16;
  std::vector<std::int64_t> blocks(first, 1);
  std::fill_n(blocks.begin() + first - large, large, 100);
  impl::StreamedWork work = parts_of(blocks);
  work.host_blocks = 2000;
  EXPECT_NEAR(impl::predict(work, figures).seconds, (first - large - 1) * 0.01 + large + 0.1, 1e-9);
  // Of some more subdivisions the large ones are enqueued when the first half of the host's share is multiplied.
  blocks.insert(blocks.begin(), large, 1);
  work = parts_of(blocks);
  work.host_blocks = 2000;
  EXPECT_NEAR(impl::predict(work, figures).seconds, 10 + large + 0.1, 1e-9);
}

/// Each subdivision is enqueued after those before it, on top of what the host multiplies first.
TEST(StreamingPlan, CountsTheEnqueuingOfEachSubdivisionBetweenPieces) {
  StreamingFigures figures = slow_link();
  figures.host_block_seconds = figures.host_block_seconds_beside = 0.01;
  figures.enqueue_seconds = 0.01;
  // As above: the large ones are the first that are enqueued when half of the host's 20 s are over. x arrives while
  // the first are enqueued, when the product before has ended: 1 more is enqueued before the copy of the first large
  // one, and all others while that is under way.
  constexpr int first = impl::HostPieces::first, large = 16;
  std::vector<std::int64_t> blocks(first + large, 1);
  std::fill_n(blocks.begin() + first, large, 100);
  impl::StreamedWork work = parts_of(blocks);
  work.host_blocks = 2000;
  const StreamingPlan plan = impl::predict(work, figures);
  EXPECT_NEAR(plan.seconds, 10 + 0.01 + large + 0.1, 1e-9);
  // The host enqueues the first ones before it multiplies, and the others between its two pieces.
  EXPECT_NEAR(plan.host_seconds, first * 0.01 + 20 + large * 0.01, 1e-9);
}

/// Cuts 1200 blocks as options say, and has no room for fewer than four subdivisions.
impl::StreamedWork cut(const StreamingOptions& options) {
  const int count = options.num_subdivisions > 0 ? options.num_subdivisions : 8;
  if (count < 4) throw MemoryError(2, 1, "test", "too large", "cut more");
  const auto of_host = static_cast<std::int64_t>(1200 * options.host_share);
  impl::StreamedWork work = parts_of(std::vector<std::int64_t>(count, (1200 - of_host) / count));
  work.host_blocks = of_host;
  return work;
}

TEST(StreamingPlan, LetsHostAndLinkBeReadyTogether) {
  StreamingFigures figures = slow_link();
  figures.host_block_seconds = figures.host_block_seconds_beside = 0.005;  // twice as fast as the link
  const StreamingPlan plan = impl::plan({}, figures, 1, cut);
  EXPECT_NEAR(plan.options.host_share, 2.0 / 3, 0.01);
  EXPECT_NEAR(plan.seconds, 4, 0.1);
  EXPECT_LE(impl::plan({}, figures, 0.5, cut).options.host_share, 0.5);
  EXPECT_EQ(impl::plan({}, figures, 0, cut).options.host_share, 0);
  // A host that is slow, or was not measured, does nothing.
  figures.host_block_seconds = figures.host_block_seconds_beside = 1000;
  EXPECT_LT(impl::plan({}, figures, 1, cut).options.host_share, 0.001);
  figures.host_block_seconds = 0;
  EXPECT_EQ(impl::plan({}, figures, 1, cut).options.host_share, 0);
}

TEST(StreamingPlan, CutsAsStartsAndRoomAllow) {
  // Each start costs; there must be four.
  StreamingFigures figures = slow_link();
  figures.copy_start_seconds = 0.5;
  EXPECT_EQ(impl::plan({}, figures, 1, cut).options.num_subdivisions, 4);
  // The host takes on more where there are more starts: fewer of them pay with another share only.
  figures.host_block_seconds = figures.host_block_seconds_beside = 0.005;
  const StreamingPlan with_host = impl::plan({}, figures, 1, cut);
  EXPECT_EQ(with_host.options.num_subdivisions, 4);
  EXPECT_NEAR(with_host.seconds, 14.0 / 3, 0.1);
  figures.host_block_seconds = 0;
  // A number that was asked for stays.
  EXPECT_EQ(impl::plan({.num_subdivisions = 30}, figures, 1, cut).options.num_subdivisions, 30);
  EXPECT_THROW(impl::plan({.num_subdivisions = 2}, figures, 1, cut), MemoryError);
}

TEST(StreamingPlan, CutsAsEnqueuingAllows) {
  // The device needs 1.2 s for all of it; each subdivision more takes the host 0.5 s.
  StreamingFigures figures = slow_link();
  figures.link_bytes_per_second = figures.link_bytes_per_second_beside = 1e9;
  figures.enqueue_seconds = 0.5;
  const StreamingPlan plan = impl::plan({}, figures, 1, cut);
  EXPECT_EQ(plan.options.num_subdivisions, 4);
  EXPECT_NEAR(plan.seconds, 2, 1e-6);
  EXPECT_NEAR(impl::plan({.num_subdivisions = 30}, figures, 1, cut).seconds, 15, 1e-6);
}

TEST(StreamingPlan, GivesTheHostAllThatItMayHaveWhereItIsFarFaster) {
  StreamingFigures figures = slow_link();
  figures.host_block_seconds = figures.host_block_seconds_beside = 1e-9;
  // Every block that it leaves takes the link longer than it would have been busy with all of them.
  const auto cut_to_the_last = [](const StreamingOptions& options) {
    const auto of_host = static_cast<std::int64_t>(1200 * options.host_share);
    std::vector<std::int64_t> blocks;
    for (int k = 0; k < 8; ++k) blocks.push_back((1200 - of_host) * (k + 1) / 8 - (1200 - of_host) * k / 8);
    impl::StreamedWork work = parts_of(blocks);
    work.host_blocks = of_host;
    return work;
  };
  for (const auto& [most, share] : {std::pair(1.0, 1.0), {0.5, 0.5}, {0.0, 0.0}, {7.0, 1.0}}) {
    EXPECT_EQ(impl::plan({.num_subdivisions = 8}, figures, most, cut_to_the_last).options.host_share, share);
  }
}

TEST(StreamingPlan, HasAShareOfTheHostWhereOnlyThatLeavesRoom) {
  StreamingFigures figures = slow_link();
  figures.copy_start_seconds = 0.5;
  figures.host_block_seconds = figures.host_block_seconds_beside = 0.005;
  // Of 1200 blocks there is room for subdivisions of 300: for two or three with a share of the host only.
  const auto cut_by_room = [](const StreamingOptions& options) {
    const int count = options.num_subdivisions > 0 ? options.num_subdivisions : 8;
    const auto of_host = static_cast<std::int64_t>(1200 * options.host_share);
    if (1200 - of_host > 300 * count) throw MemoryError(2, 1, "test", "too large", "cut more");
    impl::StreamedWork work = parts_of(std::vector<std::int64_t>(count, (1200 - of_host) / count));
    work.host_blocks = of_host;
    return work;
  };
  const StreamingPlan plan = impl::plan({}, figures, 1, cut_by_room);
  EXPECT_LT(plan.options.num_subdivisions, 4);
  EXPECT_GE(plan.options.host_share, 0.25);
}

TEST(StreamingPlan, CountsOnWhatTheHostKeepsToThreeTimesOfFour) {
  StreamingFigures figures = slow_link();
  // Once in eight others took the host for long; the order is of no account.
  const impl::HostSamples samples{.alone = {4, 50, 1, 2, 3, 5, 6, 7},
                                  .beside = {70, 9, 3, 4, 8, 5, 6, 7},
                                  .link_bytes_per_second = {900, 1, 600, 700, 800, 2000, 650, 750}};
  impl::set_host_figures(samples, figures);
  EXPECT_DOUBLE_EQ(figures.host_block_seconds, 7);
  EXPECT_DOUBLE_EQ(figures.host_block_seconds_beside, 9);
  EXPECT_DOUBLE_EQ(figures.link_bytes_per_second_beside, 750);
  // Beside copies the host is not faster, nor is the link beside the host.
  impl::set_host_figures({{9}, {8}, {2000}}, figures);
  EXPECT_DOUBLE_EQ(figures.host_block_seconds, 8);
  EXPECT_DOUBLE_EQ(figures.link_bytes_per_second_beside, 1000);
}

TEST(StreamingPlan, InOneMemoryIsTheTimeOfTheDevice) {
  StreamingFigures figures;
  figures.block_seconds = 1e-3;
  impl::StreamedWork work = parts_of({10, 10, 10, 10});
  work.host_blocks = 10;
  EXPECT_NEAR(impl::predict(work, figures).seconds, 0.04, 1e-12);
}

/// However long a call takes, few are made: work that takes a second is not repeated a dozen times.
TEST(StreamingMeasurement, MakesFewCallsOfLongWork) {
  int calls = 0;
  const auto calls_of = [&](std::chrono::milliseconds each) {
    calls = 0;
    const double seconds = impl::quick_seconds_of(
        4,
        [&] {
          ++calls;
          std::this_thread::sleep_for(each);
        },
        [] {});
    EXPECT_GE(seconds, std::chrono::duration<double>(each).count());
    return calls;
  };
  EXPECT_EQ(calls_of(std::chrono::milliseconds(30)), 2);
  EXPECT_LE(calls_of(std::chrono::milliseconds(6)), 5);
  EXPECT_LE(calls_of(std::chrono::milliseconds(0)), 14);
}

TEST(StreamingMeasurement, EnqueuesFewLargeCopies) {
  const std::vector<Subdivision> parts{{0, 16, 0, 16}};
  const auto calls_with = [&](double bytes) {
    int calls = 0;
    StreamingFigures figures;
    impl::measure_enqueuing(
        parts, 0, [&](int) { ++calls; }, [] {}, [&](int) { return bytes; }, figures);
    EXPECT_GE(figures.enqueue_seconds, 0);
    return calls;
  };
  EXPECT_EQ(calls_with(1e3), 33);
  EXPECT_EQ(calls_with(64 << 20), 3);
  EXPECT_EQ(calls_with(1e10), 2);
}

TEST(StreamingMeasurement, CopiesWhatIsLargeEnoughBesideTheHost) {
  constexpr std::int64_t mebi = 1 << 20;
  const auto part_of = [](const std::vector<std::int64_t>& blocks, int first = 0) {
    return impl::suitable_copy(parts_of(blocks).parts, first, 8);
  };
  EXPECT_EQ(part_of({9 * mebi, 1 * mebi, 3 * mebi, 2 * mebi, 4 * mebi}), 3);  // 16 MiB
  EXPECT_EQ(part_of({1 * mebi, 1000, 3 * mebi, 2 * mebi, 4 * mebi}, 2), 3);
  EXPECT_EQ(part_of({10, 30, 20}), 1);  // none is
  EXPECT_EQ(part_of({10, 0, 9 * mebi, 20}), 2);
}

/// There is nothing to decide: neither link nor host is measured, and no share of the host would pay for its vectors.
TEST(StreamingMeasurement, OfWhatStaysOnTheDeviceIsOfItsProductsAlone) {
  const Exec exec;
  const auto host = copy_to<PinnedSpace>(exec, reference::random_bcsr<Matrix>(500, 500, 3, {.max_blocks = 20}, 3));
  using Vector = Kokkos::View<double*, Matrix::memory_space>;
  const Vector x("test::x", host.num_cols()), y("test::y", host.num_rows());
  Kokkos::deep_copy(x, 1);
  const StreamingPlan plan = plan_streaming<Streamed>(exec, host, x, y, {.copy_always = true});
  EXPECT_EQ(plan.estimate.num_resident, plan.estimate.num_subdivisions);
  EXPECT_GT(plan.figures.block_seconds, 0);
  EXPECT_EQ(plan.figures.link_bytes_per_second, 0);
  EXPECT_EQ(plan.figures.host_block_seconds, 0);
  EXPECT_EQ(plan.options.host_share, 0);
  EXPECT_THAT(plan.explain(), HasSubstr("all of the matrix stays on the device: there is nothing to plan"));
  const Streamed streamed(exec, host, plan.options);
  EXPECT_EQ(streamed.is_stream_ordered(), is_gpu_v<Exec>);
}

/// planning() divides as work() does, whatever else the options say.
TEST(StreamingPlan, DividesAsWorkDoes) {
  const Exec exec;
  const auto host = copy_to<PinnedSpace>(exec, reference::random_bcsr<Matrix>(500, 500, 3, {.max_blocks = 20}, 3));
  StreamingOptions options{.num_resident = 3, .copy_always = true};
  const auto work_of = Streamed::planning(host, options);
  for (const int count : {0, 5, 40}) {
    for (const double share : {0.0, 0.3}) {
      options.num_subdivisions = count;
      options.host_share = share;
      const impl::StreamedWork expected = Streamed::work(host, options), found = work_of(options);
      EXPECT_EQ(found.estimate.device_bytes(), expected.estimate.device_bytes());
      EXPECT_EQ(found.estimate.num_subdivisions, expected.estimate.num_subdivisions);
      EXPECT_EQ(found.host_blocks, expected.host_blocks);
      EXPECT_EQ(found.parts.size(), expected.parts.size());
    }
  }
}

TEST(StreamingPlan, OfAMatrixIsMeasuredAndExplained) {
  const Exec exec;
  const auto host = copy_to<PinnedSpace>(
      exec, reference::random_bcsr<Matrix>(4000, 4000, 3, {.min_blocks = 20, .max_blocks = 30}, 3));
  const std::uint64_t limit = std::uint64_t(host.num_values()) * 8 / 2;
  const StreamingOptions options{.device_memory_limit = limit, .copy_always = true};
  using Vector = Kokkos::View<double*, Matrix::memory_space>;
  const Vector x("test::x", host.num_cols()), y("test::y", host.num_rows());
  Kokkos::deep_copy(x, 1);
  const StreamingPlan plan = plan_streaming<Streamed>(exec, host, x, y, options);
  const StreamingFigures& figures = plan.figures;
  for (const double figure : {figures.link_bytes_per_second, figures.block_seconds, figures.host_block_seconds,
                              figures.host_block_seconds_beside, figures.link_bytes_per_second_beside}) {
    EXPECT_GT(figure, 0);
  }
  EXPECT_LE(figures.link_bytes_per_second_beside, figures.link_bytes_per_second);
  EXPECT_GT(plan.seconds, 0);
  EXPECT_LE(plan.estimate.device_bytes(), limit);
  EXPECT_EQ(plan_streaming<Streamed>(exec, host, x, y, options, 0).options.host_share, 0);
  EXPECT_THAT(plan.explain(), AllOf(HasSubstr("the host multiplies"), HasSubstr("GB/s"), HasSubstr("are sent")));
  const StreamingPlan tuned = tune_streaming<Streamed>(exec, host, plan, x, y);
  EXPECT_GT(tuned.seconds, 0);
  EXPECT_LE(tuned.estimate.device_bytes(), limit);
  // Whatever was decided, the product is right.
  const Matrix device = copy_to<Matrix::memory_space>(exec, host);
  const Vector expected("test::expected", host.num_rows());
  spmv(exec, 1, device, x, 0, expected);
  for (const StreamingPlan& each : {plan, tuned}) {
    const Streamed streamed(exec, host, each.options);
    streamed.apply(exec, x, y);
    exec.fence();
    const auto found = to_host(y), right = to_host(expected);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], right[i], 1e-11) << each.explain();
  }
}

}  // namespace
}  // namespace ashlar::testing
