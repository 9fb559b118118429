#include "solve/progress_line.hpp"

#include <unistd.h>

#include <cstdio>

namespace ashlar::app {

ProgressLine::ProgressLine(bool is_shown) : on_terminal_(is_shown && isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(int iterations, double relative_residual) {
  constexpr double seconds_between = 0.1;
  if (!on_terminal_ || since_shown_.seconds() < seconds_between) return;
  std::fprintf(stderr, "\r\033[Kiteration %d, relative residual %.2e", iterations, relative_residual);
  std::fflush(stderr);
  shown_ = true;
  since_shown_.reset();
}

void ProgressLine::erase() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace ashlar::app
