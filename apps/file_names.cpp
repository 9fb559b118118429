#include <unistd.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/host/replaced_file.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <poll.h>
#include <signal.h>
#include <string_view>
#include <system_error>

#include "file_names.hpp"

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

/// True if writes to both would mix: in one descriptor or pipe. (A terminal may be named twice and shows both.)
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

namespace {

/// The ending before a .gz, if the name ends in that.
std::string ending_of_unpacked(const std::string& path) {
  constexpr std::string_view compressed = ".gz";
  const bool is_compressed = ending_of(path) == compressed;
  return ending_of(is_compressed ? path.substr(0, path.size() - compressed.size()) : path);
}

}  // namespace

bool is_matrix_market_file(const std::string& path) { return ending_of_unpacked(path) == ".mtx"; }

bool is_harwell_boeing_file(const std::string& path) {
  const std::string ending = ending_of_unpacked(path);
  return ending == ".rb" || ending == ".rsa" || ending == ".rua" || ending == ".hb";
}

bool is_petsc_file(const std::string& path) {
  const std::string ending = ending_of_unpacked(path);
  return ending == ".petsc" || ending == ".bin";
}

OutputFile::OutputFile(const std::string& path)
    : path_(path == "-" ? "/dev/stdout" : path), is_replaced_(ReplacedFile(path_).is_replaced()) {}

void OutputFile::flush_standard_output() { std::cout.flush(); }

bool is_written_through(const std::string& path) {
  std::error_code unknown;  // then opening it says what is wrong
  return path == "-" || descriptor_of(path) || std::filesystem::is_other(std::filesystem::status(path, unknown));
}

namespace {

extern "C" void handle_signal(int signal_number) {
  UnfinishedFile::remove_all();
  // The handler was for one signal: now the signal has its default effect.
  ::raise(signal_number);
}

}  // namespace

void handle_signals() {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    // Who started the command with the signal ignored (nohup) wants it ignored.
    if (::sigaction(signal_number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = handle_signal;
    action.sa_flags = SA_RESETHAND;
    ::sigaction(signal_number, &action, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);
}

namespace {

bool has_no_reader(int descriptor) {
  struct pollfd asked {
    descriptor, POLLOUT, 0
  };
  return ::poll(&asked, 1, 0) == 1 && (asked.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

void survive_closed_pipes() { ::signal(SIGPIPE, SIG_IGN); }

std::optional<std::string> standard_output_fault() {
  // Some of us print by streams, and some by C's functions.
  const bool has_streamed = bool(std::cout.flush()), has_flushed = std::fflush(stdout) == 0;
  if (has_streamed && has_flushed && std::ferror(stdout) == 0) return std::nullopt;
  if (has_no_reader(STDOUT_FILENO)) {
    return "standard output was closed (what reads it ended before all was printed); send it to a file to keep all";
  }
  return "standard output cannot be written (is its disk full?); send it elsewhere";
}

}  // namespace ashlar::app
