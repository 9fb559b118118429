#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <Kokkos_Timer.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::app {

/// The parts of a run and the seconds they took, in the order in which they came first. Each is a profiling region,
/// too.
class Phases {
 public:
  /// Runs `work` as the phase of this name, or as more of it, and returns its result.
  template <class Work>
  auto run(const std::string& name, const Work& work) {
    const Measure measure(*this, name);
    return work();
  }

  const std::vector<std::pair<std::string, double>>& seconds() const { return seconds_; }
  /// Seconds of a phase that has run; 0 otherwise.
  double seconds_of(const std::string& name) const {
    for (const auto& [phase, seconds] : seconds_) {
      if (phase == name) return seconds;
    }
    return 0;
  }
  /// Seconds since this object was made.
  double total() const { return since_start_.seconds(); }

 private:
  /// Adds the phase when it ends, whichever way it ends.
  class Measure {
   public:
    Measure(Phases& phases, std::string name) : phases_(phases), name_(std::move(name)) {
      // Starting Kokkos is a phase as well, with no tool there yet.
      if (Kokkos::is_initialized()) region_.emplace("ashlar solve: " + name_);
    }
    Measure(const Measure&) = delete;
    Measure& operator=(const Measure&) = delete;
    ~Measure() { phases_.add(name_, timer_.seconds()); }

   private:
    Phases& phases_;
    std::string name_;
    std::optional<Kokkos::Profiling::ScopedRegion> region_;
    Kokkos::Timer timer_;
  };

  void add(const std::string& name, double seconds) {
    for (auto& [phase, sum] : seconds_) {
      if (phase != name) continue;
      sum += seconds;
      return;
    }
    seconds_.emplace_back(name, seconds);
  }

  std::vector<std::pair<std::string, double>> seconds_;
  Kokkos::Timer since_start_;
};

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
