#include <algorithm>
#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/trace/recorder.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <ostream>
#include <utility>

namespace ashlar::trace {

std::string_view to_string(SpanKind kind) {
  switch (kind) {
    case SpanKind::region:
      return "region";
    case SpanKind::fence:
      return "fence";
    case SpanKind::parallel_for:
      return "parallel_for";
    case SpanKind::parallel_reduce:
      return "parallel_reduce";
    case SpanKind::parallel_scan:
      return "parallel_scan";
    case SpanKind::copy:
      return "copy";
  }
  return "";
}

std::vector<SpanTotal> totals(const std::vector<Span>& spans) {
  std::map<std::pair<std::string, SpanKind>, SpanTotal> by_name;
  for (const Span& span : spans) {
    SpanTotal& total = by_name.try_emplace({span.name, span.kind}, SpanTotal{span.name, span.kind, 0, 0}).first->second;
    ++total.count;
    total.seconds += span.seconds();
  }
  std::vector<SpanTotal> result;
  for (auto& [key, total] : by_name) result.push_back(std::move(total));
  std::stable_sort(result.begin(), result.end(),
                   [](const SpanTotal& a, const SpanTotal& b) { return a.seconds > b.seconds; });
  return result;
}

namespace {

/// Nanoseconds as microseconds with their three decimals: digit for digit, so that what nests in the one nests in the
/// other.
std::string microseconds(std::int64_t ns) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%lld.%03d", static_cast<long long>(ns / 1000), static_cast<int>(ns % 1000));
  return text.data();
}

/// Text, not a stream: the stream of the caller may write numbers in a locale of its own.
std::string events_of(std::size_t pid, const std::string& name, const std::vector<Span>& spans,
                      const std::vector<std::string>& tracks) {
  std::map<std::string, std::size_t> number;
  std::string events =
      text(R"({"ph": "M", "name": "process_name", "pid": )", pid, R"(, "args": {"name": )", json_string(name), "}}");
  for (const std::string& track : tracks) {
    const std::size_t tid = number.size();
    number[track] = tid;
    events +=
        text(",\n", R"({"ph": "M", "name": "thread_name", "pid": )", pid, R"(, "tid": )", tid, R"(, "args": {"name": )",
             json_string(track), "}},\n", R"({"ph": "M", "name": "thread_sort_index", "pid": )", pid, R"(, "tid": )",
             tid, R"(, "args": {"sort_index": )", tid, "}}");
  }
  for (const Span& span : spans) {
    events += text(",\n", R"({"ph": "X", "name": )", json_string(span.name), R"(, "cat": ")", to_string(span.kind),
                   R"(", "pid": )", pid, R"(, "tid": )", number[span.track], ", \"ts\": ", microseconds(span.begin_ns),
                   ", \"dur\": ", microseconds(span.end_ns - span.begin_ns));
    if (span.kind == SpanKind::copy) events += text(R"(, "args": {"bytes": )", span.bytes, '}');
    events += '}';
  }
  return events;
}

constexpr const char* file_begin = "{\"displayTimeUnit\": \"ms\",\n\"traceEvents\": [\n";
constexpr const char* file_end = "\n]}\n";

}  // namespace

std::string json_string(std::string_view characters) {
  std::string result = "\"";
  while (!characters.empty()) {
    const std::size_t length = utf8_length(characters);
    const char c = characters[0];
    if (length == 0) {
      result += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      result += code.data();
    } else {
      result += characters.substr(0, length);
    }
    characters.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

std::string chrome_events(const std::vector<Process>& processes, std::size_t first_process) {
  std::string events;
  for (std::size_t k = 0; k < processes.size(); ++k) {
    if (k > 0) events += ",\n";
    events += events_of(first_process + k, processes[k].name, processes[k].spans, processes[k].tracks);
  }
  return events;
}

void join_chrome_events(std::ostream& out, const std::vector<std::string>& events) {
  out << file_begin;
  bool is_first = true;
  for (const std::string& each : events) {
    if (each.empty()) continue;
    if (!is_first) out << ",\n";
    out << each;
    is_first = false;
  }
  out << file_end;
}

void write_chrome_json(std::ostream& out, const std::vector<Process>& processes) {
  join_chrome_events(out, {chrome_events(processes, 0)});
}

void write_chrome_json(std::ostream& out, const std::vector<Span>& spans, const std::vector<std::string>& tracks) {
  join_chrome_events(out, {events_of(0, "ashlar", spans, tracks)});
}

}  // namespace ashlar::trace
