#pragma once

#include <ashlar/base/concepts.hpp>
#include <string>
#include <string_view>
#include <vector>

// A multigrid cycle as a list of steps: what is done on which level, in which order, apart from how levels do it.
//
//   cycle(l):  x_l := S(x_l, b_l)                            smooth, from zero at the first visit
//              b_{l+1} := R (b_l - A_l x_l);  x_{l+1} := 0   restrict
//              cycle(l+1), for a W-cycle twice               ... on the coarsest level: solve
//              x_l := x_l + P x_{l+1}                        prolong
//              x_l := S^T(x_l, b_l)                          smooth, the adjoint

namespace ashlar::cycles {

enum class CycleKind { v, w };

/// "V", "W"
std::string_view to_string(CycleKind kind);

enum class Operation {
  smooth_zero,        ///< x := S(0, b)
  smooth,             ///< x := S(x, b)
  restrict_to_next,   ///< b of the next coarser level := R (b - A x)
  solve,              ///< x := A^-1 b, on the coarsest level
  prolong_from_next,  ///< x := x + P x of the next coarser level
  smooth_adjoint      ///< x := S^T(x, b)
};

struct Step {
  Operation operation;
  int level;  ///< 0 is the finest
  friend bool operator==(const Step&, const Step&) = default;
};

/// The steps of one cycle that begins with x = 0 on the finest of `num_levels` levels. Symmetric: the steps after the
/// coarsest level are the adjoints of those before, in reverse order.
///
/// Throws   ArgumentError if there is no level.
std::vector<Step> cycle_steps(CycleKind kind, int num_levels);

/// A step a line: "level 1: smooth".
std::string describe(const std::vector<Step>& steps);

/// What the steps ask of a level; `next` is the next coarser one.
///
/// All functions enqueue on `exec`, without fence or allocation.
template <class Level, class Exec>
concept level = execution_space<Exec> && requires(const Level& here, const Level& next, const Exec& exec) {
  here.smooth_zero(exec);
  here.smooth(exec);
  here.smooth_adjoint(exec);
  here.restrict_to(exec, next);
  here.prolong_from(exec, next);
  here.solve(exec);
};

/// Runs the steps kernel by kernel; captured, they are a graph.
template <class Exec, class Levels>
requires level<typename Levels::value_type, Exec>
void run(const Exec& exec, const std::vector<Step>& steps, const Levels& levels) {
  for (const Step& step : steps) {
    const auto& here = levels[step.level];
    switch (step.operation) {
      case Operation::smooth_zero:
        here.smooth_zero(exec);
        break;
      case Operation::smooth:
        here.smooth(exec);
        break;
      case Operation::restrict_to_next:
        here.restrict_to(exec, levels[step.level + 1]);
        break;
      case Operation::solve:
        here.solve(exec);
        break;
      case Operation::prolong_from_next:
        here.prolong_from(exec, levels[step.level + 1]);
        break;
      case Operation::smooth_adjoint:
        here.smooth_adjoint(exec);
        break;
    }
  }
}

}  // namespace ashlar::cycles
