#pragma once

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <string>
#include <string_view>
#include <vector>

// A multigrid cycle as a list of steps: operations on levels, in their order, apart from how levels do them.
//
//   V(l):  x_l := S(x_l, b_l)                          smooth, from x = 0 at the first time
//          r_l := b_l - A_l x_l                        residual
//          b_{l+1} := R r_l                            restrict
//          V(l+1), for a W-cycle twice                 ... on the coarsest level: solve
//          x_l := x_l + P x_{l+1}                      prolong
//          x_l := S'(x_l, b_l)                         smooth; in a symmetric cycle S' is the adjoint of S
//
//   F(l):  b_{l+1} := R b_l                            restrict the right-hand side
//          F(l+1)                                      ... on the coarsest level: solve
//          x_l := P x_{l+1}                            start
//          V(l)                                        from that x

namespace ashlar::cycles {

enum class CycleKind { v, w, f };

/// "V", "W", "F"
std::string_view to_string(CycleKind kind);

/// The step of an operation names the finer of the two levels between which it transfers.
enum class Operation {
  smooth_zero,        ///< x := S(0, b)
  smooth,             ///< x := S(x, b)
  smooth_adjoint,     ///< x := S^T(x, b)
  residual,           ///< r := b - A x
  restrict_residual,  ///< b of the next coarser level := R r
  restrict_b,         ///< b of the next coarser level := R b
  prolong_add,        ///< x := x + P x of the next coarser level
  start,              ///< x := P x of the next coarser level, by an interpolation that is good enough for a first guess
  solve,              ///< x := A^-1 b to rounding, on the coarsest level
  solve_roughly       ///< the same to a few digits
};

/// "smooth", "restrict the residual", ...
std::string_view to_string(Operation operation);

struct Step {
  Operation operation;
  int level;  ///< 0 is the finest
  friend bool operator==(const Step&, const Step&) = default;
};

/// A choice between cycles of one kind.
struct CycleForm {
  /// The steps after the coarsest level are the adjoints of the steps before, in reverse order, and the coarsest level
  /// is solved to rounding. F-cycles are never symmetric: theirs are the V-cycles that smooth alike on both sides.
  bool is_symmetric = true;
  bool from_zero = true;  ///< x = 0 on the level where the cycle begins; a start makes this x in an F-cycle
  int first_level = 0;    ///< where the cycle begins
};

/// The steps of one cycle on levels form.first_level to num_levels - 1.
///
/// Throws   ArgumentError if there is no such level.
std::vector<Step> cycle_steps(CycleKind kind, int num_levels, const CycleForm& form = {});

/// "level 1: smooth"
std::string describe(const Step& step);
/// A step a line.
std::string describe(const std::vector<Step>& steps);

/// A level for the steps of V- and W-cycles; `next` is the next coarser one.
///
/// All functions enqueue on `exec`, without fence or allocation.
template <class Level, class Exec>
concept level = execution_space<Exec> && requires(const Level& here, const Level& next, const Exec& exec) {
  here.smooth_zero(exec);
  here.smooth(exec);
  here.smooth_adjoint(exec);
  here.residual(exec);
  here.restrict_residual(exec, next);
  here.prolong_add(exec, next);
  here.solve(exec);
};

/// A level for the steps of all cycles.
template <class Level, class Exec>
concept full_level = level<Level, Exec> && requires(const Level& here, const Level& next, const Exec& exec) {
  here.restrict_b(exec, next);
  here.start(exec, next);
  here.solve_roughly(exec);
};

/// Only a full_level does it.
constexpr bool needs_full_level(Operation operation) {
  return operation == Operation::restrict_b || operation == Operation::start || operation == Operation::solve_roughly;
}

/// Runs the steps kernel by kernel.
///
/// Throws   ArgumentError if a step needs a full_level, and these are none.
template <class Exec, class Levels>
requires level<typename Levels::value_type, Exec>
void run(const Exec& exec, const std::vector<Step>& steps, const Levels& levels) {
  constexpr bool are_full = full_level<typename Levels::value_type, Exec>;
  if (!are_full &&
      std::any_of(steps.begin(), steps.end(), [](const Step& s) { return needs_full_level(s.operation); })) {
    throw ArgumentError("cycles: a step of an F-cycle, or of one that is not symmetric",
                        "these levels have symmetric V- and W-cycles", "choose one of them");
  }
  for (const Step& step : steps) {
    const auto number = static_cast<std::size_t>(step.level);
    const auto& here = levels[number];
    switch (step.operation) {
      case Operation::smooth_zero:
        here.smooth_zero(exec);
        continue;
      case Operation::smooth:
        here.smooth(exec);
        continue;
      case Operation::smooth_adjoint:
        here.smooth_adjoint(exec);
        continue;
      case Operation::residual:
        here.residual(exec);
        continue;
      case Operation::restrict_residual:
        here.restrict_residual(exec, levels[number + 1]);
        continue;
      case Operation::prolong_add:
        here.prolong_add(exec, levels[number + 1]);
        continue;
      case Operation::solve:
        here.solve(exec);
        continue;
      default:
        break;
    }
    if constexpr (are_full) {
      if (step.operation == Operation::restrict_b) {
        here.restrict_b(exec, levels[number + 1]);
      } else if (step.operation == Operation::start) {
        here.start(exec, levels[number + 1]);
      } else {
        here.solve_roughly(exec);
      }
    }
  }
}

}  // namespace ashlar::cycles
