#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/trace/recorder.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace ashlar::trace {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Exec = Kokkos::DefaultExecutionSpace;
using Region = Kokkos::Profiling::ScopedRegion;

static_assert(!std::is_move_constructible_v<Recorder> && !std::is_copy_constructible_v<Recorder>);

void run_kernel(const Exec& exec, const std::string& label) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, 100), KOKKOS_LAMBDA(int){});
}

void reduce_and_scan(const Exec& exec, const Kokkos::View<double, Exec::memory_space>& sum) {
  Kokkos::parallel_reduce(
      "reduce", Kokkos::RangePolicy<Exec>(exec, 0, 10), KOKKOS_LAMBDA(int i, double& s) { s += i; }, sum);
  Kokkos::parallel_scan(
      "scan", Kokkos::RangePolicy<Exec>(exec, 0, 10), KOKKOS_LAMBDA(int, int& s, bool) { s += 1; });
}

/// The only span of this name.
Span span_of(const std::vector<Span>& spans, const std::string& name) {
  const auto is_it = [&name](const Span& span) { return span.name == name; };
  EXPECT_EQ(std::count_if(spans.begin(), spans.end(), is_it), 1) << name;
  const auto found = std::find_if(spans.begin(), spans.end(), is_it);
  if (found == spans.end()) throw std::runtime_error("no span named " + name);
  return *found;
}

std::vector<std::string> names(const std::vector<Span>& spans, SpanKind kind) {
  std::vector<std::string> result;
  for (const Span& span : spans) {
    if (span.kind == kind) result.push_back(span.name);
  }
  return result;
}

bool holds(const Span& outer, const Span& inner) {
  return outer.begin_ns <= inner.begin_ns && inner.begin_ns <= inner.end_ns && inner.end_ns <= outer.end_ns;
}

TEST(Recorder, RegionsNestAndHoldTheirKernels) {
  const Recorder recorder;
  {
    const Region outer("outer");
    run_kernel(Exec(), "before");
    {
      const Region inner("inner");
      run_kernel(Exec(), "within");
    }
    run_kernel(Exec(), "after");
  }
  run_kernel(Exec(), "outside");
  const auto spans = recorder.spans();
  const Span outer = span_of(spans, "outer"), inner = span_of(spans, "inner");
  EXPECT_TRUE(holds(outer, inner));
  EXPECT_TRUE(holds(inner, span_of(spans, "within")));
  EXPECT_TRUE(holds(outer, span_of(spans, "before")));
  EXPECT_LE(span_of(spans, "before").end_ns, inner.begin_ns);
  EXPECT_LE(inner.end_ns, span_of(spans, "after").begin_ns);
  EXPECT_LE(outer.end_ns, span_of(spans, "outside").begin_ns);
  EXPECT_EQ(outer.track, inner.track);
  EXPECT_NE(outer.track, span_of(spans, "within").track);
  EXPECT_THAT(names(spans, SpanKind::region), ElementsAre("outer", "inner"));
  EXPECT_THAT(names(spans, SpanKind::parallel_for), ElementsAre("before", "within", "after", "outside"));
}

TEST(Recorder, TellsKindsApart) {
  const Exec exec;
  const Kokkos::View<double*, Exec::memory_space> x("test::x", 1000);
  const auto y = Kokkos::create_mirror(x);
  const Kokkos::View<double, Exec::memory_space> sum("test::sum");
  const Recorder recorder;
  reduce_and_scan(exec, sum);
  exec.fence("fence");
  Kokkos::deep_copy(exec, y, x);
  const auto spans = recorder.spans();
  EXPECT_EQ(span_of(spans, "reduce").kind, SpanKind::parallel_reduce);
  EXPECT_EQ(span_of(spans, "scan").kind, SpanKind::parallel_scan);
  EXPECT_EQ(span_of(spans, "fence").kind, SpanKind::fence);
  EXPECT_EQ(span_of(spans, "fence").track, "host thread 0");
  const Span copy = span_of(spans, y.label() + " := test::x");
  EXPECT_EQ(copy.kind, SpanKind::copy);
  EXPECT_EQ(copy.bytes, 8000u);
  EXPECT_THAT(copy.track, HasSubstr("copies "));
}

TEST(Recorder, FencesOfTheRecordingAreNotRecorded) {
  const Recorder recorder;
  {
    const Region region("region");
    run_kernel(Exec(), "kernel");
  }
  EXPECT_EQ(recorder.spans().size(), 2u);
  EXPECT_TRUE(recorder.device_times());
}

TEST(Recorder, EachHostThreadHasItsTrack) {
  const Recorder recorder;
  {
    const Region region("of main");
    std::thread other([] {
      const Region outer("of other");
      const Region inner("of other, inner");
    });
    other.join();
  }
  const auto spans = recorder.spans();
  EXPECT_EQ(span_of(spans, "of main").track, "host thread 0");
  EXPECT_EQ(span_of(spans, "of other").track, "host thread 1");
  EXPECT_TRUE(holds(span_of(spans, "of other"), span_of(spans, "of other, inner")));
  EXPECT_THAT(recorder.tracks(), ElementsAre("host thread 0", "host thread 1"));
}

TEST(Recorder, ManyThreadsAtOnceLoseNothing) {
  const Recorder recorder;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 500; ++i) {
        const Region outer("outer " + std::to_string(t));
        const Region inner("inner " + std::to_string(t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto spans = recorder.spans();
  ASSERT_EQ(spans.size(), 4000u);
  EXPECT_TRUE(
      std::is_sorted(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; }));
  for (const SpanTotal& total : totals(spans)) EXPECT_EQ(total.count, 500) << total.name;
}

TEST(Recorder, InstancesHaveTheirTracks) {
  const auto parts = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const Recorder recorder;
  run_kernel(parts[0], "first");
  run_kernel(parts[1], "second");
  run_kernel(parts[0], "third");
  const auto spans = recorder.spans();
  EXPECT_EQ(span_of(spans, "first").track, span_of(spans, "third").track);
  EXPECT_THAT(span_of(spans, "first").track, HasSubstr(Exec::name()));
  // Backends of the host give one number to all their instances.
  using Kokkos::Tools::Experimental::device_id;
  EXPECT_EQ(span_of(spans, "first").track == span_of(spans, "second").track,
            device_id(parts[0]) == device_id(parts[1]));
}

TEST(Recorder, OpenRegionsEndNow) {
  const Region before("opened before");
  const Recorder recorder;
  const Region open("open");
  run_kernel(Exec(), "kernel");
  const auto spans = recorder.spans();
  EXPECT_TRUE(holds(span_of(spans, "open"), span_of(spans, "kernel")));
  EXPECT_THAT(names(spans, SpanKind::region), ElementsAre("open"));
}

TEST(Recorder, RegionsOpenedBeforeItDoNoHarm) {
  Kokkos::Profiling::pushRegion("opened before");
  const Recorder recorder;
  Kokkos::Profiling::popRegion();
  { const Region region("after"); }
  EXPECT_THAT(names(recorder.spans(), SpanKind::region), ElementsAre("after"));
}

TEST(Recorder, PutsBackTheCallbacksThatWereThere) {
  static int heard = 0;
  namespace tools = Kokkos::Tools::Experimental;
  const auto before = tools::get_callbacks();
  tools::set_push_region_callback([](const char*) { ++heard; });
  {
    const Recorder recorder;
    const Region region("within");
    EXPECT_EQ(heard, 0);
  }
  { const Region region("after"); }
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(tools::get_callbacks().begin_parallel_for, before.begin_parallel_for);
  EXPECT_EQ(tools::get_callbacks().begin_fence, before.begin_fence);
  tools::set_callbacks(before);
}

TEST(Recorder, OneAtATimeButManyInTurn) {
  {
    const Recorder recorder;
    EXPECT_THROW(const Recorder second, ArgumentError);
    { const Region region("after the second was refused"); }
    EXPECT_EQ(recorder.spans().size(), 1u);
  }
  const Recorder next;
  EXPECT_TRUE(next.spans().empty());
}

TEST(Recorder, WritesWhatItHolds) {
  const std::string label = "a \"quoted\" \\ label,\nof two lines";
  const Recorder recorder;
  {
    const Region region(label);
    run_kernel(Exec(), "kernel");
  }
  std::ostringstream out;
  recorder.write(out);
  const nlohmann::json trace = nlohmann::json::parse(out.str());
  std::vector<std::string> found;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") found.push_back(event.at("name"));
  }
  EXPECT_THAT(found, ElementsAre(label, "kernel"));
}

TEST(Totals, CountAndAddUpByNameAndKind) {
  const std::vector<Span> spans{{"a", "t", SpanKind::region, 0, 1'000'000'000},
                                {"b", "t", SpanKind::region, 0, 3'000'000'000},
                                {"a", "u", SpanKind::region, 0, 500'000'000},
                                {"a", "t", SpanKind::copy, 0, 250'000'000}};
  const auto result = totals(spans);
  ASSERT_EQ(result.size(), 3u);
  EXPECT_EQ(result[0].name, "b");
  EXPECT_EQ(result[0].count, 1);
  EXPECT_EQ(result[1].name, "a");
  EXPECT_EQ(result[1].kind, SpanKind::region);
  EXPECT_EQ(result[1].count, 2);
  EXPECT_DOUBLE_EQ(result[1].seconds, 1.5);
  EXPECT_EQ(result[2].kind, SpanKind::copy);
}

}  // namespace
}  // namespace ashlar::trace
