#include <array>
#include <ashlar/trace/chrome_json.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <ostream>
#include <sstream>
#include <utility>

namespace ashlar::trace {

namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The bytes of the UTF-8 character at the start of `text`; 0 where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  // Longer than need be, half of a UTF-16 pair, or past the last character.
  const auto second = static_cast<unsigned char>(text[1]);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return wrong ? 0 : length;
}

/// Nanoseconds as microseconds with their three decimals: digit for digit, so that what nests in the one nests in the
/// other.
std::string microseconds(std::int64_t ns) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%lld.%03d", static_cast<long long>(ns / 1000), static_cast<int>(ns % 1000));
  return text.data();
}

void write_process(std::ostream& out, std::size_t pid, const std::string& name, const std::vector<Span>& spans,
                   const std::vector<std::string>& tracks) {
  std::map<std::string, std::size_t> number;
  out << R"({"ph": "M", "name": "process_name", "pid": )" << pid << R"(, "args": {"name": )" << json_string(name)
      << "}}";
  for (const std::string& track : tracks) {
    const std::size_t tid = number.size();
    number[track] = tid;
    out << ",\n"
        << R"({"ph": "M", "name": "thread_name", "pid": )" << pid << R"(, "tid": )" << tid << R"(, "args": {"name": )"
        << json_string(track) << "}},\n"
        << R"({"ph": "M", "name": "thread_sort_index", "pid": )" << pid << R"(, "tid": )" << tid
        << R"(, "args": {"sort_index": )" << tid << "}}";
  }
  for (const Span& span : spans) {
    out << ",\n"
        << R"({"ph": "X", "name": )" << json_string(span.name) << R"(, "cat": ")" << to_string(span.kind)
        << R"(", "pid": )" << pid << R"(, "tid": )" << number[span.track] << ", \"ts\": " << microseconds(span.begin_ns)
        << ", \"dur\": " << microseconds(span.end_ns - span.begin_ns);
    if (span.kind == SpanKind::copy) out << R"(, "args": {"bytes": )" << span.bytes << '}';
    out << '}';
  }
}

constexpr const char* file_begin = "{\"displayTimeUnit\": \"ms\",\n\"traceEvents\": [\n";
constexpr const char* file_end = "\n]}\n";

}  // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text[0];
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
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

std::string chrome_events(const std::vector<Process>& processes, std::size_t first_process) {
  std::ostringstream out;
  for (std::size_t k = 0; k < processes.size(); ++k) {
    if (k > 0) out << ",\n";
    write_process(out, first_process + k, processes[k].name, processes[k].spans, processes[k].tracks);
  }
  return std::move(out).str();
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
  out << file_begin;
  write_process(out, 0, "ashlar", spans, tracks);
  out << file_end;
}

}  // namespace ashlar::trace
