#pragma once

#include <ashlar/base/text.hpp>
#include <ashlar/device/events/timed_event.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <cg/peers/cusparse_cg.hpp>
#include <memory>
#include <string>
#include <support/types.hpp>
#include <utility>

namespace ashlar::perf {

/// A peer's CG whose iterations are captured as a graph of one or several, and replayed.
class ReplayedCg {
 public:
  /// Iterations between two looks at the residual, of which those of a graph are a divisor.
  static constexpr int interval = 10;

  /// `cg` has iterated before: libraries set things up at their first calls, which cannot be captured.
  ReplayedCg(std::shared_ptr<const CusparseCg> cg, int iterations_of_graph)
      : cg_(std::move(cg)),
        iterations_of_graph_(iterations_of_graph),
        graph_(cg_->exec(), [cg = cg_, iterations_of_graph] {
          for (int k = 0; k < iterations_of_graph; ++k) cg->iterate();
        }) {}

  /// As CgPeer::solve.
  int solve(double tolerance, int max_iterations) const {
    cg_->start();
    const double target = tolerance * tolerance * cg_->residual_squared();
    int done = 0;
    do {
      replay(interval);
      done += interval;
    } while (done < max_iterations && !(cg_->residual_squared() <= target));
    return done;
  }

  /// As CgPeer::seconds_of.
  double seconds_of(int num_iterations) const {
    TimedEvent<Exec> begin(cg_->exec()), end(cg_->exec());
    cg_->start();
    begin.record(cg_->exec());
    replay(num_iterations);
    end.record(cg_->exec());
    return end.seconds_since(begin);
  }

  std::string launch() const {
    if (!graph_.is_captured()) return "call by call";
    return text("graph of ", count_text(iterations_of_graph_, "iteration"));
  }

 private:
  void replay(int num_iterations) const {
    for (int done = 0; done < num_iterations; done += iterations_of_graph_) graph_.replay(cg_->exec());
  }

  std::shared_ptr<const CusparseCg> cg_;
  int iterations_of_graph_;
  CapturedWork<Exec> graph_;
};

}  // namespace ashlar::perf
