#pragma once

#include <ashlar/trace/span.hpp>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::trace {

/// The text as a JSON string with its quotes. What is no UTF-8 becomes U+FFFD, so that every label can be written.
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

/// The same of one process, "ashlar".
void write_chrome_json(std::ostream& out, const std::vector<Span>& spans, const std::vector<std::string>& tracks);

}  // namespace ashlar::trace
