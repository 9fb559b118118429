#pragma once

#include <Kokkos_Timer.hpp>

namespace ashlar::app {

/// A line on a terminal's standard error that says how far the solve is, rewritten in place and erased at the end.
/// Nothing at all where standard error is no terminal.
class ProgressLine {
 public:
  /// One that is not shown tells nothing: of other ranks.
  explicit ProgressLine(bool is_shown = true);
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(int iterations, double relative_residual);
  void erase();
  /// For a signal handler, which may run at any time: takes the line off the terminal.
  static void erase_at_signal() noexcept;

 private:
  bool on_terminal_;
  Kokkos::Timer since_shown_;
};

}  // namespace ashlar::app
