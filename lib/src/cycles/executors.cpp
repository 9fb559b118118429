#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/cycles/executors.hpp>
#include <limits>

namespace ashlar::cycles {

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
