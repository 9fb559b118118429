#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::trace {

enum class SpanKind {
  region,           ///< Kokkos::Profiling::pushRegion to popRegion
  fence,            ///< the host waiting
  parallel_for,     ///< a kernel
  parallel_reduce,  ///< a kernel
  parallel_scan,    ///< a kernel
  copy              ///< Kokkos::deep_copy
};

/// "region": the category in timelines.
std::string_view to_string(SpanKind kind);

/// Something that began and ended, in nanoseconds since its recorder was made, by a clock that never goes back.
struct Span {
  std::string name;   ///< the label
  std::string track;  ///< the line of the timeline that it is on: "host thread 0", "Cuda 0 instance 2", ...
  SpanKind kind;
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::uint64_t bytes = 0;  ///< of a copy

  double seconds() const { return 1e-9 * static_cast<double>(end_ns - begin_ns); }
};

/// All spans of one name and kind.
struct SpanTotal {
  std::string name;
  SpanKind kind;
  std::int64_t count;
  double seconds;  ///< their sum; regions hold what runs inside them, so sums of different names overlap
};

/// One entry for each name and kind, the longest total first.
std::vector<SpanTotal> totals(const std::vector<Span>& spans);

/// Records all that Kokkos Tools tells of, from its construction to its destruction: regions, kernels, copies, fences.
///
/// Tracks   one for each host thread (its regions and fences), one for each execution-space instance (its kernels), one
///          for each pair of memory spaces (the copies between them: Kokkos does not say which instance copies).
/// Times    On CPUs, the times of the work itself. On GPUs Kokkos fences the device before and after each kernel and
///          region while a tool is there, and the recorder asks for the same around copies: spans are the device's own
///          times, but what would overlap runs one after another. Where a tool loaded before has told Kokkos not to
///          fence, kernels' spans are their launches only: `device_times()` is then false.
/// Memory   on the host, about 150 bytes a span.
/// Threads  regions, kernels and copies may come from any number of host threads. While a recorder is made or
///          destroyed no other thread may be in Kokkos.
/// Tools    the callbacks of a tool that was there before rest while the recorder lives, and are put back afterwards.
/// Throws   ArgumentError where another recorder lives, or Kokkos is not initialised.
class Recorder {
 public:
  Recorder();
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The spans so far, in the order in which they began. Spans that have not ended yet end now.
  std::vector<Span> spans() const;

  /// The names of the tracks, in the order in which they are shown: host threads first, then instances, then copies.
  std::vector<std::string> tracks() const;

  /// True if the spans of GPU kernels are the times of the device, and not of launches.
  bool device_times() const;

  /// Writes the spans so far as Chrome/Perfetto JSON: open it at ui.perfetto.dev.
  ///
  /// Throws   nothing of its own: whether all of it was taken is for the stream to say.
  void write(std::ostream& out) const;

 private:
  struct Timeline;
  std::unique_ptr<Timeline> timeline_;
};

/// The text as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD, so that every label can be written.
std::string json_string(std::string_view text);

/// Tracks that are shown together, under a name.
struct Process {
  std::string name;
  std::vector<Span> spans;
  std::vector<std::string> tracks;  ///< in the order in which they are shown
};

/// The processes in the Trace Event Format, which ui.perfetto.dev and chrome://tracing read: one object with
/// "traceEvents", each track a named thread, times in microseconds.
void write_chrome_json(std::ostream& out, const std::vector<Process>& processes);

/// The events of processes that are numbered from `first_process` on, without the file around them: each rank writes
/// its own, and join_chrome_events() makes one file of all. Empty where there are no processes.
std::string chrome_events(const std::vector<Process>& processes, std::size_t first_process);

/// One file of the events of many.
void join_chrome_events(std::ostream& out, const std::vector<std::string>& events);

/// The same of one process, "ashlar".
void write_chrome_json(std::ostream& out, const std::vector<Span>& spans, const std::vector<std::string>& tracks);

}  // namespace ashlar::trace
