#include "solve/trace.hpp"

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/host/text_file.hpp>
#include <cmath>
#include <sstream>
#include <utility>

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

StreamTimeline<Execution>& SolveTrace::timeline(const Execution& exec) {
  if (is_gpu_v<Execution> && recorder_) {
    recorded_.push_back(process_of(*recorder_));
    recorder_.reset();
  }
  timeline_.emplace(exec, max_spans);
  timeline_begin_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return *timeline_;
}

void SolveTrace::write(const std::string& path) const {
  std::vector<trace::Process> processes = recorded_;
  if (recorder_) processes.push_back(process_of(*recorder_));
  if (timeline_) processes.push_back(process_of(timeline_->spans(), timeline_begin_));
  std::ostringstream out;
  trace::write_chrome_json(out, processes);
  write_text_file(path, std::move(out).str());
}

}  // namespace ashlar::app
