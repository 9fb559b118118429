#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/cycles/cycle.hpp>

namespace ashlar::cycles {

namespace {

/// Appends the steps of cycles.
struct Writer {
  std::vector<Step>& steps;
  int coarsest;
  bool is_symmetric;

  void add(Operation operation, int level) const { steps.push_back({operation, level}); }
  void solve() const { add(is_symmetric ? Operation::solve : Operation::solve_roughly, coarsest); }

  void v_or_w(int level, bool is_w, bool from_zero) const {
    if (level == coarsest) return solve();
    add(from_zero ? Operation::smooth_zero : Operation::smooth, level);
    add(Operation::residual, level);
    add(Operation::restrict_residual, level);
    v_or_w(level + 1, is_w, true);
    // The coarsest level is solved: nothing is left for a second time.
    if (is_w && level + 1 < coarsest) v_or_w(level + 1, is_w, false);
    add(Operation::prolong_add, level);
    add(is_symmetric ? Operation::smooth_adjoint : Operation::smooth, level);
  }

  void f(int level) const {
    if (level == coarsest) return solve();
    add(Operation::restrict_b, level);
    f(level + 1);
    add(Operation::start, level);
    v_or_w(level, false, false);
  }
};

}  // namespace

std::string_view to_string(CycleKind kind) {
  constexpr std::string_view names[] = {"V", "W", "F"};
  return names[static_cast<int>(kind)];
}

std::string_view to_string(Operation operation) {
  constexpr std::string_view names[] = {"smooth from zero",
                                        "smooth",
                                        "smooth, adjoint",
                                        "residual",
                                        "restrict the residual",
                                        "restrict the right-hand side",
                                        "prolong and add",
                                        "start from the coarser level",
                                        "solve",
                                        "solve roughly"};
  return names[static_cast<int>(operation)];
}

std::vector<Step> cycle_steps(CycleKind kind, int num_levels, const CycleForm& form) {
  if (form.first_level < 0 || form.first_level >= num_levels) {
    throw ArgumentError(text("cycles: a cycle from level ", form.first_level, " on, of ", num_levels, " levels"),
                        "a cycle has one at least", "make a hierarchy first, and begin on one of its levels");
  }
  std::vector<Step> steps;
  const Writer writer{steps, num_levels - 1, form.is_symmetric && kind != CycleKind::f};
  if (kind == CycleKind::f) {
    writer.f(form.first_level);
  } else {
    writer.v_or_w(form.first_level, kind == CycleKind::w, form.from_zero);
  }
  return steps;
}

std::string describe(const Step& step) { return text("level ", step.level, ": ", to_string(step.operation)); }

std::string describe(const std::vector<Step>& steps) {
  std::string lines;
  for (const Step& step : steps) lines += describe(step) + "\n";
  return lines;
}

}  // namespace ashlar::cycles
