// Spans of streamed products: their order and number, what overlaps and what does not, and that products stay as they
// are.
#include <gmock/gmock.h>

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/symmetric_half.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <ashlar/streaming/streamed_symmetric_matrix.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <iterator>
#include <optional>
#include <string>
#include <support/compare.hpp>
#include <support/message.hpp>
#include <support/spin.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = BcsrMatrix<double>;
using Space = Matrix::memory_space;
using Streamed = StreamedMatrix<Matrix>;
using Vector = Kokkos::View<double*, Space>;

void fill(const Exec& exec, const Vector& x) {
  Kokkos::parallel_for(
      "test::fill", Kokkos::RangePolicy<Exec>(exec, 0, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i) { x(i) = 1.0 / double(1 + i % 17); });
}

std::vector<StreamSpan> on_track(const std::vector<StreamSpan>& spans, const std::string& track) {
  std::vector<StreamSpan> result;
  std::copy_if(spans.begin(), spans.end(), std::back_inserter(result),
               [&](const StreamSpan& span) { return span.track == track; });
  return result;
}

std::vector<std::string> names(const std::vector<StreamSpan>& spans, const std::string& track) {
  std::vector<std::string> result;
  for (const StreamSpan& span : on_track(spans, track)) result.push_back(span.name);
  return result;
}

/// Each begins when the one before has ended, after the timeline has begun.
void expect_one_after_another(const std::vector<StreamSpan>& spans) {
  double end = 0;
  for (const StreamSpan& span : spans) {
    EXPECT_GE(span.begin_seconds, end) << span.name;
    EXPECT_GE(span.end_seconds, span.begin_seconds) << span.name;
    end = span.end_seconds;
  }
}

/// The one of this name that ended last before `time`, or none.
const StreamSpan* last_before(const std::vector<StreamSpan>& spans, const std::string& name, double time) {
  const StreamSpan* last = nullptr;
  for (const StreamSpan& span : spans) {
    if (span.name == name && span.end_seconds <= time) last = &span;
  }
  return last;
}

struct Timelines : ::testing::Test {
  const Exec exec;
  const Exec copy_exec = Kokkos::Experimental::partition_space(exec, 1)[0];
  const Streamed::host_type host = copy_to<PinnedSpace>(exec, problems::stencil11<Matrix>(exec, 12, 11, 10, 3));
  const Vector x{"test::x", std::size_t(host.num_cols())}, y{"test::y", std::size_t(host.num_rows())};

  const Kokkos::View<double, Space> spun{"test::spun"}, copies_spun{"test::copies_spun"};

  Timelines() {
    fill(exec, x);
    exec.fence();
  }

  Streamed streamed(StreamingOptions options) const {
    options.copy_always = true;
    return {exec, copy_exec, host, options};
  }

  /// Which span of a copy or of products is followed by which, whatever is hidden.
  static void expect_products_after_copies(const std::vector<StreamSpan>& spans, int num_subdivisions) {
    expect_one_after_another(on_track(spans, "copies"));
    expect_one_after_another(on_track(spans, "products"));
    for (const StreamSpan& products : on_track(spans, "products")) {
      for (int k = 0; k < num_subdivisions; ++k) {
        if (products.name != text("products with ", k)) continue;
        EXPECT_NE(last_before(spans, text("copy ", k), products.begin_seconds), nullptr)
            << products.name << " begin before their copy has ended";
      }
    }
  }
};

TEST_F(Timelines, HaveASpanForEachCopyAndEachSubdivision) {
  for (const bool hide : {true, false}) {
    for (const int num_buffers : {1, 2, 3}) {
      Streamed a = streamed({.num_subdivisions = 4,
                             .taper = Taper::none,
                             .num_buffers = num_buffers,
                             .num_resident = 0,
                             .hide = hide,
                             .send_ahead = false});
      StreamTimeline timeline(exec, 16);
      auto recording = a.record(timeline);
      a.apply(exec, x, y);
      recording.stop();
      const auto spans = timeline.spans();
      EXPECT_THAT(names(spans, "copies"), ElementsAre("copy 0", "copy 1", "copy 2", "copy 3"));
      EXPECT_THAT(names(spans, "products"),
                  ElementsAre("products with 0", "products with 1", "products with 2", "products with 3"));
      EXPECT_EQ(spans.size(), 8u);
      EXPECT_EQ(timeline.num_missed(), 0);
      expect_products_after_copies(spans, 4);
      std::uint64_t bytes = 0;
      for (const StreamSpan& span : spans) bytes += span.bytes;
      EXPECT_EQ(bytes, a.estimate().sent_bytes);
    }
  }
}

TEST_F(Timelines, HaveNoSpanForWhatABufferStillHolds) {
  Streamed a = streamed({.num_subdivisions = 4, .num_resident = 2});
  StreamTimeline first(exec, 32), second(exec, 32), third(exec, 32);
  const auto of_first = a.record(first);
  a.apply(exec, x, y);
  const auto of_second = a.record(second);
  a.apply(exec, x, y);
  a.values_changed(exec);
  auto of_third = a.record(third);
  a.apply(exec, x, y);
  of_third.stop();
  a.apply(exec, x, y);
  // The first two stay, as one; the buffers go on to hold the others.
  EXPECT_THAT(names(first.spans(), "copies"), ElementsAre("copy 0", "copy 1", "copy 2"));
  EXPECT_THAT(names(second.spans(), "copies"), IsEmpty());
  EXPECT_THAT(names(third.spans(), "copies"), ElementsAre("copy 0", "copy 1", "copy 2"));
  for (const auto* timeline : {&first, &second, &third}) EXPECT_EQ(names(timeline->spans(), "products").size(), 3u);
}

TEST_F(Timelines, HaveWhatIsSentAhead) {
  Streamed a = streamed({.num_subdivisions = 3, .num_resident = 0});
  StreamTimeline timeline(exec, 32);
  auto recording = a.record(timeline);
  a.apply(exec, x, y);
  a.apply(exec, x, y);
  recording.stop();
  const auto spans = timeline.spans();
  // At the end of a pass one buffer holds subdivision 1; subdivision 0 is sent ahead into the other.
  EXPECT_THAT(names(spans, "copies"), ElementsAre("copy 0", "copy 1", "copy 2", "copy 0", "copy 2", "copy 0"));
  EXPECT_EQ(names(spans, "products").size(), 6u);
  expect_products_after_copies(spans, 3);
}

TEST_F(Timelines, OverlapNothingThatIsNotHidden) {
  for (const int num_resident : {0, 2}) {
    Streamed a = streamed({.num_subdivisions = 5, .num_resident = num_resident, .hide = false});
    StreamTimeline timeline(exec, 32);
    const auto recording = a.record(timeline);
    for (int pass = 0; pass < 3; ++pass) {
      spin(exec, spun);
      spin(copy_exec, copies_spun);
      a.apply(exec, x, y);
    }
    auto spans = timeline.spans();
    std::stable_sort(spans.begin(), spans.end(), [](const StreamSpan& one, const StreamSpan& other) {
      return one.begin_seconds < other.begin_seconds;
    });
    expect_one_after_another(spans);
  }
}

/// One instance lags far behind the other.
TEST_F(Timelines, HaveProductsAfterTheirCopiesWhicheverIsLate) {
  for (const bool copies_are_late : {true, false}) {
    Streamed a = streamed({.num_subdivisions = 6, .num_resident = copies_are_late ? 0 : 1});
    StreamTimeline timeline(exec, 64);
    const auto recording = a.record(timeline);
    spin(copies_are_late ? copy_exec : exec, spun);
    a.apply(exec, x, y);
    expect_products_after_copies(timeline.spans(), 6);
  }
}

TEST_F(Timelines, HaveSpansAsLongAsTheirWork) {
  spin(exec, spun);
  exec.fence();
  Kokkos::Timer timer;
  spin(exec, spun);
  exec.fence();
  const double one = timer.seconds();
  for (const bool hide : {true, false}) {
    Streamed a = streamed({.num_subdivisions = 3, .num_resident = 0, .hide = hide});
    timer.reset();
    StreamTimeline timeline(exec, 32);
    const auto recording = a.record(timeline);
    a.for_each(exec, [&](const Matrix&, const SpmvPlan<Matrix>&, const Subdivision&) { spin(exec, spun); });
    const auto spans = timeline.spans();
    const double all = timer.seconds();
    for (const StreamSpan& span : spans) {
      EXPECT_LE(span.end_seconds, all) << span.name;
      EXPECT_GT(span.end_seconds, span.begin_seconds) << span.name;
      if (span.track == "products") {
        EXPECT_GT(span.end_seconds - span.begin_seconds, 0.3 * one) << span.name;
      }
    }
  }
}

/// While products with one subdivision take long, the next is copied: recording does not make it wait.
TEST_F(Timelines, ShowWhatIsHidden) {
  if (!is_gpu_v<Exec>) GTEST_SKIP() << "without events the host waits at each mark";
  Streamed a = streamed({.num_subdivisions = 4, .taper = Taper::none, .num_resident = 0, .send_ahead = false});
  StreamTimeline timeline(exec, 32);
  const auto recording = a.record(timeline);
  a.for_each(exec, [&](const Matrix&, const SpmvPlan<Matrix>&, const Subdivision&) { spin(exec, spun); });
  const auto spans = timeline.spans();
  const auto copies = on_track(spans, "copies"), products = on_track(spans, "products");
  ASSERT_EQ(copies.size(), 4u);
  ASSERT_EQ(products.size(), 4u);
  for (int k = 0; k < 3; ++k) EXPECT_LT(copies[k + 1].end_seconds, products[k].end_seconds) << k;
  // With two buffers the copy after next waits for the products with what it overwrites.
  for (int k = 0; k < 2; ++k) EXPECT_GE(copies[k + 2].begin_seconds, products[k].end_seconds) << k;
}

TEST_F(Timelines, LeaveProductsAsTheyAre) {
  const Vector expected("test::expected", host.num_rows());
  for (const double host_share : {0.0, 0.4}) {
    for (const bool hide : {true, false}) {
      Streamed a = streamed({.num_subdivisions = 5, .num_resident = 1, .host_share = host_share, .hide = hide});
      a.apply(exec, x, expected);
      exec.fence();
      for (const int room : {100, 3, 0}) {
        StreamTimeline timeline(exec, room);
        auto recording = a.record(timeline);
        Kokkos::deep_copy(exec, y, -1);
        a.apply(exec, x, y);
        exec.fence();
        EXPECT_EQ(to_host(y), to_host(expected)) << hide << ", room for " << room;
        recording.stop();
      }
    }
  }
}

TEST_F(Timelines, SayWhatTheyMissed) {
  Streamed a = streamed({.num_subdivisions = 4, .num_resident = 0, .hide = false});
  StreamTimeline timeline(exec, 3), none(exec, 0);
  const auto recording = a.record(timeline);
  a.apply(exec, x, y);
  // copy 0, products with 0, copy 1.
  const auto spans = timeline.spans();
  EXPECT_THAT(names(spans, "copies"), ElementsAre("copy 0", "copy 1"));
  EXPECT_THAT(names(spans, "products"), ElementsAre("products with 0"));
  EXPECT_EQ(timeline.num_missed(), 5);
  const auto of_none = a.record(none);
  a.apply(exec, x, y);
  EXPECT_THAT(none.spans(), IsEmpty());
  EXPECT_EQ(none.num_missed(), 8);
  EXPECT_EQ(timeline.num_missed(), 5);
  EXPECT_THAT(message_of<ArgumentError>([&] { StreamTimeline(exec, -1); }), HasSubstr("a timeline of -1 spans"));
}

TEST_F(Timelines, HaveTheHostsShareByItsClock) {
  Streamed a = streamed({.num_subdivisions = 3, .num_resident = 1, .host_share = 0.5});
  StreamTimeline timeline(exec, 32);
  const auto recording = a.record(timeline);
  Kokkos::Timer timer;
  a.apply(exec, x, y);
  a.apply(exec, x, y);
  exec.fence();
  const double seconds = timer.seconds();
  const auto of_host = on_track(timeline.spans(), "host");
  ASSERT_EQ(of_host.size(), 2u);
  expect_one_after_another(of_host);
  EXPECT_EQ(of_host[0].name, "the host's share");
  EXPECT_GT(of_host[0].end_seconds, of_host[0].begin_seconds);
  EXPECT_LT(of_host[1].end_seconds - of_host[0].begin_seconds, seconds);
  EXPECT_EQ(names(timeline.spans(), "products").size(), 6u);
}

TEST_F(Timelines, HaveProductsInPlace) {
  if (!Streamed::has_one_memory) GTEST_SKIP() << "the device has memory of its own";
  Streamed a(exec, host, {.num_subdivisions = 2});
  StreamTimeline timeline(exec, 32);
  const auto recording = a.record(timeline);
  a.apply(exec, x, y);
  EXPECT_THAT(names(timeline.spans(), "products"), ElementsAre("products with 0", "products with 1"));
  EXPECT_THAT(names(timeline.spans(), "copies"), IsEmpty());
}

/// Nobody has to remember to stop, whichever goes first.
TEST_F(Timelines, EndWithTheirRecording) {
  Streamed a = streamed({.num_subdivisions = 3, .num_resident = 0});
  StreamTimeline timeline(exec, 64), other(exec, 64);
  {
    const auto recording = a.record(timeline);
    a.apply(exec, x, y);
  }
  const std::size_t recorded = timeline.spans().size();
  EXPECT_GT(recorded, 0u);
  a.apply(exec, x, y);
  EXPECT_EQ(timeline.spans().size(), recorded);
  // The timeline may be gone when its recording is over.
  {
    StreamTimeline short_lived(exec, 64);
    const auto recording = a.record(short_lived);
  }
  a.apply(exec, x, y);
  // One that was begun before another does not end that.
  auto first = a.record(timeline);
  const auto second = a.record(other);
  first.stop();
  a.apply(exec, x, y);
  EXPECT_EQ(timeline.spans().size(), recorded);
  EXPECT_EQ(names(other.spans(), "products").size(), 3u);
}

TEST_F(Timelines, StayWithAMatrixThatIsMovedAndARecordingThatIs) {
  StreamTimeline timeline(exec, 64);
  std::optional<StreamRecording<Exec>> kept;
  {
    Streamed a = streamed({.num_subdivisions = 3, .num_resident = 0});
    auto recording = a.record(timeline);
    kept.emplace(std::move(recording));
    const Streamed moved = std::move(a);
    moved.apply(exec, x, y);
    EXPECT_EQ(names(timeline.spans(), "products").size(), 3u);
  }
  kept.reset();  // after the matrix
  EXPECT_EQ(names(timeline.spans(), "products").size(), 3u);
  static_assert(!std::is_copy_constructible_v<StreamRecording<Exec>>);
}

TEST_F(Timelines, AreThoseOfSymmetricMatricesToo) {
  const auto half = symmetric_half(Kokkos::DefaultHostExecutionSpace(), host);
  StreamedSymmetricMatrix<Matrix> a(exec, half, {.num_subdivisions = 3, .num_resident = 0, .copy_always = true});
  a.values_changed(exec);  // set-up has sent it all once
  StreamTimeline timeline(exec, 32);
  auto recording = a.record(timeline);
  a.apply(exec, x, y);
  recording.stop();
  a.apply(exec, x, y);
  expect_products_after_copies(timeline.spans(), 3);
  EXPECT_EQ(names(timeline.spans(), "products").size(), 3u);
}

}  // namespace
}  // namespace ashlar::testing
