#include "stop_signals.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "solve/progress.hpp"

namespace ashlar::app {

namespace {

struct StopSignal {
  int number;
  const char* name;
};
constexpr std::array<StopSignal, 5> stop_signals{
    {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"}}};

// The data that the handler may read: it may interrupt any thread at any point.
std::array<struct sigaction, stop_signals.size()> actions_before;
std::atomic<bool> are_iterating = false;
std::atomic<int> first_signal = 0;
std::atomic<std::int64_t> first_milliseconds = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t milliseconds_now() noexcept {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t(now.tv_sec) * 1000 + now.tv_nsec / 1000000;
}

void restore_actions() noexcept {
  for (std::size_t k = 0; k < stop_signals.size(); ++k) {
    ::sigaction(stop_signals[k].number, &actions_before[k], nullptr);
  }
}

/// True if this one tells nothing that the first has not told.
bool repeats_first(int signal_number) noexcept {
  constexpr std::int64_t together = 250;
  const int first = first_signal;
  if (first == 0) return false;
  return (first == SIGXCPU && signal_number == SIGXCPU) || milliseconds_now() - first_milliseconds < together;
}

extern "C" void handle_stop_signal(int signal_number) {
  const int error_number = errno;
  ProgressLine::erase_at_signal();
  if (first_signal == 0 && are_iterating) {
    first_milliseconds = milliseconds_now();
    first_signal = signal_number;
  } else if (!repeats_first(signal_number)) {
    restore_actions();
    ::raise(signal_number);  // it comes when this handler has ended
  }
  errno = error_number;
}

}  // namespace

StopSignals::StopSignals() {
  first_signal = 0;
  for (std::size_t k = 0; k < stop_signals.size(); ++k) {
    ::sigaction(stop_signals[k].number, nullptr, &actions_before[k]);
  }
  for (std::size_t k = 0; k < stop_signals.size(); ++k) {
    if (actions_before[k].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = handle_stop_signal;
    action.sa_flags = SA_RESTART;
    for (const StopSignal& each : stop_signals) ::sigaddset(&action.sa_mask, each.number);
    ::sigaction(stop_signals[k].number, &action, nullptr);
  }
}

StopSignals::~StopSignals() { restore_actions(); }

StopSignals::Iterations::Iterations() { are_iterating = true; }
StopSignals::Iterations::~Iterations() { are_iterating = false; }

int StopSignals::received() noexcept { return first_signal; }

std::string signal_name(int signal_number) {
  for (const StopSignal& each : stop_signals) {
    if (each.number == signal_number) return each.name;
  }
  return "signal " + std::to_string(signal_number);
}

void end_by_signal(int signal_number) {
  std::fflush(nullptr);
  // Nothing has crashed: SIGXCPU is not to leave an image of the memory.
  const struct rlimit no_core {};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(signal_number, SIG_DFL);
  sigset_t unblocked;
  ::sigemptyset(&unblocked);
  ::sigaddset(&unblocked, signal_number);
  ::sigprocmask(SIG_UNBLOCK, &unblocked, nullptr);
  ::raise(signal_number);
  ::_exit(exit_by_signal + signal_number);
}

}  // namespace ashlar::app
