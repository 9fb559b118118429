#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/trace/recorder.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ashlar::trace {

namespace tools = Kokkos::Tools::Experimental;

namespace {

using Clock = std::chrono::steady_clock;

/// A line of the timeline. The order of its members is the order of the lines.
struct Track {
  enum class Kind { host, instance, copies };

  Kind kind;
  std::uint32_t number;  // of the host thread; the instance's device id
  std::string copies;    // of copies: "CudaHost -> Cuda"

  auto key() const { return std::tie(kind, number, copies); }
  bool operator<(const Track& other) const { return key() < other.key(); }
};

std::string_view device_name(tools::DeviceType type) {
  constexpr std::array<std::string_view, 10> names{"Serial", "OpenMP",  "Cuda", "HIP",     "OpenMPTarget",
                                                   "HPX",    "Threads", "SYCL", "OpenACC", "NextSilicon"};
  const auto index = static_cast<std::size_t>(type);
  return index < names.size() ? names[index] : "device";
}

std::string name_of(const Track& track) {
  switch (track.kind) {
    case Track::Kind::host:
      return text("host thread ", track.number);
    case Track::Kind::instance: {
      const auto id = tools::identifier_from_devid(track.number);
      return text(device_name(id.type), " ", id.device_id, " instance ", id.instance_id);
    }
    case Track::Kind::copies:
      return text("copies ", track.copies);
  }
  return "";
}

struct Entry {
  std::string name;
  const Track* track;
  SpanKind kind;
  Clock::time_point begin, end;
  bool open;
  std::uint64_t bytes;
};

}  // namespace

/// What the callbacks write to. They are plain functions, so the one timeline there may be is found by `active`.
struct Recorder::Timeline {
  struct Thread {
    std::uint32_t number;
    std::vector<std::size_t> regions, copies;  // the open ones, innermost last
  };

  Clock::time_point start = Clock::now();
  tools::EventSet before{};
  bool device_times = true;
  std::vector<Entry> entries;  // in the order in which they began
  std::set<Track> tracks;
  std::map<std::thread::id, Thread> threads;

  static inline std::mutex mutex;
  static inline Timeline* active = nullptr;  // guarded, as all of it is, by the mutex
  static inline thread_local bool asking_for_fence = false;
  static inline thread_local bool heard_tool_fence = false;

  Thread& this_thread() {
    return threads.try_emplace(std::this_thread::get_id(), Thread{std::uint32_t(threads.size()), {}, {}}).first->second;
  }
  Track host_track() { return {Track::Kind::host, this_thread().number, ""}; }

  std::size_t begin(const char* name, Track track, SpanKind kind, std::uint64_t bytes = 0) {
    const Track* line = &*tracks.insert(std::move(track)).first;
    entries.push_back({name, line, kind, {}, {}, true, bytes});
    entries.back().begin = Clock::now();  // after the work of taking it down
    return entries.size() - 1;
  }

  void end(std::size_t entry, Clock::time_point now) {
    if (entry >= entries.size()) return;  // begun before there was a recorder
    entries[entry].end = now;
    entries[entry].open = false;
  }

  void end_last(std::vector<std::size_t>& open, Clock::time_point now) {
    if (open.empty()) return;
    end(open.back(), now);
    open.pop_back();
  }

  template <SpanKind Kind>
  static void begin_kernel(const char* name, std::uint32_t device, std::uint64_t* id) {
    const std::lock_guard lock(mutex);
    *id = active->begin(name, {Track::Kind::instance, device, ""}, Kind);
  }

  static void end_by_id(std::uint64_t id) {
    const Clock::time_point now = Clock::now();
    const std::lock_guard lock(mutex);
    active->end(id, now);
  }

  static void begin_fence(const char* name, std::uint32_t, std::uint64_t* id) {
    // Kokkos fences because of the recorder: these fences are not recorded.
    if (std::string_view(name).find("Kokkos Profile Tool Fence") != std::string_view::npos) {
      heard_tool_fence = true;
      *id = std::uint64_t(-1);
      return;
    }
    const std::lock_guard lock(mutex);
    *id = active->begin(name, active->host_track(), SpanKind::fence);
  }

  static void push_region(const char* name) {
    if (asking_for_fence) return;
    const std::lock_guard lock(mutex);
    const std::size_t entry = active->begin(name, active->host_track(), SpanKind::region);
    active->this_thread().regions.push_back(entry);
  }

  static void pop_region() {
    if (asking_for_fence) return;
    const Clock::time_point now = Clock::now();
    const std::lock_guard lock(mutex);
    active->end_last(active->this_thread().regions, now);
  }

  /// A fence of all devices. Tools have no other way to ask for one: Kokkos makes it before it tells of a region.
  static void fence_device() {
    asking_for_fence = true;
    Kokkos::Profiling::pushRegion("ashlar::trace[fence]");
    asking_for_fence = false;
  }

  /// Kokkos does not fence for tools where it tells of a copy.
  static void fence_gpus() {
    constexpr bool gpu = !std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;
    if constexpr (gpu) fence_device();
  }

  static void begin_copy(Kokkos::Tools::SpaceHandle to, const char* to_label, const void*,
                         Kokkos::Tools::SpaceHandle from, const char* from_label, const void*, std::uint64_t bytes) {
    fence_gpus();
    const std::lock_guard lock(mutex);
    const std::string name = text(to_label, " := ", from_label);
    const std::size_t entry =
        active->begin(name.c_str(), {Track::Kind::copies, 0, text(from.name, " -> ", to.name)}, SpanKind::copy, bytes);
    active->this_thread().copies.push_back(entry);
  }

  static void end_copy() {
    fence_gpus();
    const Clock::time_point now = Clock::now();
    const std::lock_guard lock(mutex);
    active->end_last(active->this_thread().copies, now);
  }

  static void set_callbacks() {
    tools::set_begin_parallel_for_callback(begin_kernel<SpanKind::parallel_for>);
    tools::set_begin_parallel_reduce_callback(begin_kernel<SpanKind::parallel_reduce>);
    tools::set_begin_parallel_scan_callback(begin_kernel<SpanKind::parallel_scan>);
    tools::set_end_parallel_for_callback(end_by_id);
    tools::set_end_parallel_reduce_callback(end_by_id);
    tools::set_end_parallel_scan_callback(end_by_id);
    tools::set_push_region_callback(push_region);
    tools::set_pop_region_callback(pop_region);
    tools::set_begin_deep_copy_callback(begin_copy);
    tools::set_end_deep_copy_callback(end_copy);
    tools::set_begin_fence_callback(begin_fence);
    tools::set_end_fence_callback(end_by_id);
  }
};

Recorder::Recorder() {
  if (!Kokkos::is_initialized()) {
    throw ArgumentError("trace::Recorder: made too early or too late", "Kokkos is not initialised",
                        "make it after Kokkos::initialize and destroy it before Kokkos::finalize");
  }
  auto timeline = std::make_unique<Timeline>();
  {
    const std::lock_guard lock(Timeline::mutex);
    if (Timeline::active != nullptr) {
      throw ArgumentError("trace::Recorder: a second one", "one timeline is recorded at a time",
                          "use the recorder that there is, or destroy it first");
    }
    Timeline::active = timeline.get();
  }
  timeline_ = std::move(timeline);
  timeline_->before = tools::get_callbacks();
  Timeline::set_callbacks();
  // Whether Kokkos fences for tools was settled when it was initialised; it can be heard.
  Timeline::heard_tool_fence = false;
  Timeline::fence_device();
  timeline_->device_times = Timeline::heard_tool_fence;
}

Recorder::~Recorder() {
  tools::set_callbacks(timeline_->before);
  const std::lock_guard lock(Timeline::mutex);
  Timeline::active = nullptr;
}

std::vector<Span> Recorder::spans() const {
  const Clock::time_point now = Clock::now();
  const auto since_start = [this](Clock::time_point time) -> std::int64_t {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time - timeline_->start).count();
  };
  const std::lock_guard lock(Timeline::mutex);
  std::vector<Span> result;
  result.reserve(timeline_->entries.size());
  for (const Entry& entry : timeline_->entries) {
    const Clock::time_point end = entry.open ? std::max(now, entry.begin) : entry.end;
    result.push_back(
        {entry.name, name_of(*entry.track), entry.kind, since_start(entry.begin), since_start(end), entry.bytes});
  }
  return result;
}

std::vector<std::string> Recorder::tracks() const {
  const std::lock_guard lock(Timeline::mutex);
  std::vector<std::string> result;
  for (const Track& track : timeline_->tracks) result.push_back(name_of(track));
  return result;
}

bool Recorder::device_times() const { return timeline_->device_times; }

void Recorder::write(std::ostream& out) const { write_chrome_json(out, spans(), tracks()); }

}  // namespace ashlar::trace
