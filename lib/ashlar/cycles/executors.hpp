#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/cycles/cycle.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// How the steps of a cycle are launched. All executors run the same list; a part of it is what one of them runs.

namespace ashlar::cycles {

enum class Executor {
  kernels,     ///< launches the kernels of each step
  graph,       ///< captures what its parts launch, and replays it
  one_kernel,  ///< one kernel that does all steps
  host         ///< hands over to the host, which runs the steps on levels in its memory, and takes back
};

/// "kernel by kernel", "graph", "one kernel", "host"
std::string_view to_string(Executor executor);

/// Consecutive steps of a list, and their executor.
struct Part {
  Executor executor;
  int id;                   ///< the same for parts of equal steps with the same executor: they share graph or program
  std::vector<Step> steps;  ///< of a graph all of its parts'
  std::vector<Part> parts;  ///< of a graph
};

/// The first level of each executor, which then has all coarser ones as well; the number of levels, or more: none.
struct ExecutorLevels {
  int graph, one_kernel, host;
};

/// Cuts lists of steps into parts, and numbers these.
class PartCutter {
 public:
  /// Where the list enters the levels of an executor a part begins; where it leaves them the part ends.
  std::vector<Part> cut(const std::vector<Step>& steps, const ExecutorLevels& levels);

 private:
  int id_of(Executor executor, const std::vector<Step>& steps);

  struct Known {
    Executor executor;
    std::vector<Step> steps;
  };
  std::vector<Known> known_;
};

/// A step a line, below a line for its executor.
std::string describe(const std::vector<Part>& parts);

/// Runs the parts in their order. `executors` has graph(exec, part, work), which does work() or replays it;
/// one_kernel(exec, part); and host(exec, part). It is copied.
///
/// Async    as levels and executors are.
template <class Exec, class Levels, class Executors>
void run(const Exec& exec, const std::vector<Part>& parts, const Levels& levels, const Executors& executors) {
  for (const Part& part : parts) {
    switch (part.executor) {
      case Executor::kernels:
        run(exec, part.steps, levels);
        break;
      case Executor::graph:
        // (Whoever keeps this work keeps the parts and the levels as well.)
        executors.graph(exec, part, [exec, &part, &levels, executors] { run(exec, part.parts, levels, executors); });
        break;
      case Executor::one_kernel:
        executors.one_kernel(exec, part);
        break;
      case Executor::host:
        executors.host(exec, part);
        break;
    }
  }
}

/// Work that is captured and replayed, by number. The first time it is launched as it is, since Kokkos sets things up
/// at the first launch of a kernel; the second time it is captured.
template <execution_space Exec>
class Graphs {
 public:
  /// Async    enqueued on `exec`, without fence. The second time allocates a graph.
  template <class Work>
  void run(const Exec& exec, int id, const Work& work) {
    // (Within a capture by the caller it becomes part of that.)
    if (!CapturedWork<Exec>::can_capture(exec) || Capture<Exec>::current() != nullptr) return work();
    const auto [place, is_first] = graphs_.try_emplace(id);
    if (is_first) return work();
    std::optional<CapturedWork<Exec>>& graph = place->second;
    if (!graph) graph.emplace(exec, work);
    graph->replay(exec);
  }

  void clear() { graphs_.clear(); }

 private:
  std::map<int, std::optional<CapturedWork<Exec>>> graphs_;
};

}  // namespace ashlar::cycles
