#include "file_names.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/output_file.hpp>
#include <filesystem>
#include <system_error>

#include "output_file.hpp"

namespace ashlar::app {

namespace {

namespace fs = std::filesystem;

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  // (Of a relative path whose first part is missing weakly_canonical() makes no absolute one.)
  const auto path_of = [&error](const std::string& name) {
    const fs::path path = fs::absolute(link_target(name), error);
    return error ? path : fs::weakly_canonical(path, error);
  };
  const fs::path path_a = path_of(a);
  if (error) return a == b;
  const fs::path path_b = path_of(b);
  if (error) return a == b;
  return path_a == path_b || (fs::equivalent(path_a, path_b, error) && !error);
}

std::optional<int> stream_of(const std::string& path) { return path == "-" ? 1 : descriptor_of(path); }

/// Whether what is written to both would mix: in one descriptor or pipe. (Who names a terminal twice sees both.)
bool same_stream(const std::string& a, const std::string& b) {
  const std::optional<int> stream_a = stream_of(a), stream_b = stream_of(b);
  if (stream_a || stream_b) return stream_a == stream_b;
  std::error_code unknown;  // then opening it says what is wrong
  return fs::is_fifo(fs::status(a, unknown)) && same_file(a, b);
}

}  // namespace

void require_distinct(const NamedFile& output, const NamedFile& other) {
  if (!output.second || !other.second) return;
  if (is_written_through(*output.second)) {
    if (!same_stream(*output.second, *other.second)) return;
    throw FileError(*output.second, 0, text("named by ", output.first, " and by ", other.first),
                    "nobody could tell one from the other", "name a file for one of them");
  }
  if (!same_file(*output.second, *other.second)) return;
  throw FileError(*output.second, 0, text("named by ", output.first, " and by ", other.first),
                  "one would overwrite the other", "name another file");
}

void require_no_dash(const NamedFile& input) {
  if (input.second != "-") return;
  throw ArgumentError(text(input.first, " -"), "only --matrix reads standard input by -",
                      "pass /dev/stdin for standard input, or ./- for a file of this name");
}

bool is_read_once(const std::string& path) {
  std::error_code unknown;  // then the status is no known one, either
  return fs::is_other(fs::status(path, unknown));
}

std::string ending_of(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending;
}

void require_ending(const std::string& option, const std::string& path, const std::vector<std::string>& endings,
                    const std::string& why, const std::string& suggestion) {
  const std::string ending = ending_of(path);
  if (ending.empty() || is_written_through(path)) return;
  if (std::find(endings.begin(), endings.end(), ending) != endings.end()) return;
  throw ArgumentError(text(option, " '", path, "'"), text(why, ", not as ", ending), suggestion);
}

bool is_block_file(const std::string& path) { return ending_of(path) == ".bcsr"; }

bool is_matrix_market_file(const std::string& path) { return ending_of(path) == ".mtx"; }

}  // namespace ashlar::app
