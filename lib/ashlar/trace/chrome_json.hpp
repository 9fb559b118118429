#pragma once

#include <ashlar/trace/span.hpp>
#include <cstddef>
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

/// The events of processes that are numbered from `first_process` on, without the file around them: each rank writes
/// its own, and join_chrome_events() makes one file of all. Empty where there are no processes.
std::string chrome_events(const std::vector<Process>& processes, std::size_t first_process);

/// One file of the events of many.
void join_chrome_events(std::ostream& out, const std::vector<std::string>& events);

/// The same of one process, "ashlar".
void write_chrome_json(std::ostream& out, const std::vector<Span>& spans, const std::vector<std::string>& tracks);

}  // namespace ashlar::trace
