#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/cycles/cycle.hpp>

namespace ashlar::cycles {

namespace {

void append_cycle(std::vector<Step>& steps, CycleKind kind, int level, int coarsest, bool is_first) {
  if (level == coarsest) {
    steps.push_back({Operation::solve, level});
    return;
  }
  steps.push_back({is_first ? Operation::smooth_zero : Operation::smooth, level});
  steps.push_back({Operation::restrict_to_next, level});
  append_cycle(steps, kind, level + 1, coarsest, true);
  // The coarsest level is solved: nothing is left for a second time.
  if (kind == CycleKind::w && level + 1 < coarsest) append_cycle(steps, kind, level + 1, coarsest, false);
  steps.push_back({Operation::prolong_from_next, level});
  steps.push_back({Operation::smooth_adjoint, level});
}

std::string_view to_string(Operation operation) {
  constexpr std::string_view names[] = {"smooth from zero", "smooth",         "restrict the residual", "solve",
                                        "prolong",          "smooth, adjoint"};
  return names[static_cast<int>(operation)];
}

}  // namespace

std::string_view to_string(CycleKind kind) { return kind == CycleKind::v ? "V" : "W"; }

std::vector<Step> cycle_steps(CycleKind kind, int num_levels) {
  if (num_levels < 1) {
    throw ArgumentError(text("cycles: ", num_levels, " levels"), "a cycle has one at least", "make a hierarchy first");
  }
  std::vector<Step> steps;
  append_cycle(steps, kind, 0, num_levels - 1, true);
  return steps;
}

std::string describe(const std::vector<Step>& steps) {
  std::string lines;
  for (const Step& step : steps) lines += text("level ", step.level, ": ", to_string(step.operation), "\n");
  return lines;
}

}  // namespace ashlar::cycles
