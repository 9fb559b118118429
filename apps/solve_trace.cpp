#include "solve_trace.hpp"

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <cmath>
#include <sstream>
#include <utility>

#include "numbers.hpp"

namespace ashlar::app {

namespace {

trace::Process process_of(const trace::Recorder& recorder) { return {"ashlar", recorder.spans(), recorder.tracks()}; }

trace::Process process_of(const std::vector<StreamSpan>& spans, double begin_seconds) {
  trace::Process result{"streamed products", {}, {}};
  const auto nanoseconds = [&](double seconds) { return std::int64_t(std::llround((begin_seconds + seconds) * 1e9)); };
  for (const StreamSpan& span : spans) {
    const auto kind = span.bytes > 0 ? trace::SpanKind::copy : trace::SpanKind::parallel_for;
    result.spans.push_back(
        {span.name, span.track, kind, nanoseconds(span.begin_seconds), nanoseconds(span.end_seconds), span.bytes});
    if (std::find(result.tracks.begin(), result.tracks.end(), span.track) == result.tracks.end()) {
      result.tracks.push_back(span.track);
    }
  }
  std::sort(result.tracks.begin(), result.tracks.end());
  return result;
}

}  // namespace

template <class Exec>
StreamTimeline<Exec>& SolveTrace<Exec>::timeline(const Exec& exec) {
  if (is_gpu_v<Exec> && recorder_) {
    recorded_.push_back(process_of(*recorder_));
    recorder_.reset();
  }
  timeline_.emplace(exec, max_spans);
  timeline_begin_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return *timeline_;
}

template <class Exec>
std::vector<std::string> SolveTrace<Exec>::notes() const {
  std::vector<std::string> result;
  if (is_gpu_v<Exec> && recorder_ && !recorder_->device_times()) {
    result.emplace_back("of launches, not of the kernels themselves: a tool has told Kokkos not to fence");
  }
  const std::int64_t missed = timeline_ ? timeline_->num_missed() : 0;
  if (missed > 0) {
    result.push_back(
        text("of the first ", counted(max_spans), " copies and products, not of ", counted(missed), " more"));
  }
  return result;
}

template <class Exec>
std::string SolveTrace<Exec>::json(const Communicator& comm) const {
  std::vector<trace::Process> processes = recorded_;
  if (recorder_) processes.push_back(process_of(*recorder_));
  if (timeline_) processes.push_back(process_of(timeline_->spans(), timeline_begin_));
  if (!comm.is_alone()) {
    for (trace::Process& process : processes) process.name = text("rank ", comm.rank(), ": ", process.name);
  }
  // Each rank sends as many numbers as the largest has.
  const int each = comm.max(static_cast<int>(processes.size()));
  const std::string mine = chrome_events(processes, std::size_t(comm.rank()) * std::size_t(each));
  std::vector<std::vector<char>> to(static_cast<std::size_t>(comm.size()));
  to[0].assign(mine.begin(), mine.end());
  std::vector<std::string> events;
  for (const auto& of_rank : comm.all_to_all(to)) events.emplace_back(of_rank.begin(), of_rank.end());
  if (comm.rank() != 0) return {};
  std::ostringstream out;
  trace::join_chrome_events(out, events);
  return std::move(out).str();
}

template class SolveTrace<HostExecution>;
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template class SolveTrace<Execution>;
#endif

}  // namespace ashlar::app
