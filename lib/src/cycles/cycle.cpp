#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/cycles/cycle.hpp>
#include <ashlar/cycles/executors.hpp>
#include <limits>

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

std::string_view to_string(Executor executor) {
  constexpr std::string_view names[] = {"kernel by kernel", "graph", "one kernel", "host"};
  return names[static_cast<int>(executor)];
}

namespace {

/// Appends to `lines`, each behind `indent`.
void describe_parts(const std::vector<Part>& parts, const std::string& indent, std::string& lines) {
  for (const Part& part : parts) {
    lines += text(indent, to_string(part.executor), "\n");
    if (part.executor == Executor::graph) {
      describe_parts(part.parts, indent + "  ", lines);
    } else {
      for (const Step& step : part.steps) lines += text(indent, "  ", describe(step), "\n");
    }
  }
}

Executor executor_inside_graphs(int level, const ExecutorLevels& levels) {
  if (level >= levels.host) return Executor::host;
  return level >= levels.one_kernel ? Executor::one_kernel : Executor::kernels;
}

}  // namespace

int PartCutter::id_of(Executor executor, const std::vector<Step>& steps) {
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& known) {
    return known.executor == executor && known.steps == steps;
  });
  const auto id = static_cast<int>(found - known_.begin());
  if (found == known_.end()) known_.push_back({executor, steps});
  return id;
}

std::vector<Part> PartCutter::cut(const std::vector<Step>& steps, const ExecutorLevels& levels) {
  std::vector<Part> parts;
  for (const Step& step : steps) {
    const bool in_graph = step.level >= levels.graph;
    const Executor inside = executor_inside_graphs(step.level, levels), outside = in_graph ? Executor::graph : inside;
    if (parts.empty() || parts.back().executor != outside) parts.push_back({outside, -1, {}, {}});
    parts.back().steps.push_back(step);
  }
  for (Part& part : parts) {
    part.id = id_of(part.executor, part.steps);
    if (part.executor != Executor::graph) continue;
    constexpr int none = std::numeric_limits<int>::max();
    part.parts = cut(part.steps, {none, levels.one_kernel, levels.host});
  }
  return parts;
}

std::string describe(const std::vector<Part>& parts) {
  std::string lines;
  describe_parts(parts, "", lines);
  return lines;
}

}  // namespace ashlar::cycles
