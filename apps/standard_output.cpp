#include "standard_output.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace ashlar::app {

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
