#pragma once

#include <string>

namespace ashlar::app {

/// While this lives, signals may stop a solve instead of ending the command: SIGINT, SIGTERM, SIGUSR1, SIGUSR2 and
/// SIGXCPU. The first signal that comes during iterations is remembered; the solve asks received(). At any other time,
/// and for a second signal, the earlier handler applies.
///
/// A signal within a quarter of a second of the first is the same one: `timeout` sends each twice. The system sends
/// SIGXCPU every second, and a repeated one counts as the first.
///
/// One at a time. A signal that was ignored (in a shell's background) stays ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Iterations are under way while this lives, or a wait for others that iterate.
  class Iterations {
   public:
    Iterations();
    ~Iterations();
    Iterations(const Iterations&) = delete;
    Iterations& operator=(const Iterations&) = delete;
  };

  /// The signal that has come to this process amid iterations; 0 if none has.
  static int received() noexcept;
};

/// "SIGTERM"
std::string signal_name(int signal_number);

/// The exit code that a shell shows of a process that a signal has ended.
inline constexpr int exit_by_signal = 128;

/// Ends the process by the signal: its parent sees which.
[[noreturn]] void end_by_signal(int signal_number);

}  // namespace ashlar::app
