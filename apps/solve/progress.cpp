#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string_view>

#include "solve/progress.hpp"

namespace ashlar::app {

namespace {

constexpr std::string_view erasure = "\r\033[K";

/// One terminal has one line; a signal handler reads it.
std::atomic<bool> is_on_screen = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

ProgressLine::ProgressLine(bool is_shown) : on_terminal_(is_shown && isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(int iterations, double relative_residual) {
  constexpr double seconds_between = 0.1;
  if (!on_terminal_ || since_shown_.seconds() < seconds_between) return;
  is_on_screen = true;
  std::fprintf(stderr, "%siteration %d, relative residual %.2e", erasure.data(), iterations, relative_residual);
  std::fflush(stderr);
  since_shown_.reset();
}

void ProgressLine::erase() {
  if (!is_on_screen.exchange(false)) return;
  std::fputs(erasure.data(), stderr);
  std::fflush(stderr);
}

void ProgressLine::erase_at_signal() noexcept {
  if (!is_on_screen) return;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, erasure.data(), erasure.size());
}

}  // namespace ashlar::app
