#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace ashlar::multigrid::impl {

/// Work that is enqueued as it is at first, as Kokkos sets things up at the first launch of a kernel; captured the
/// second time, and replayed from then on. By a key, of which each stands for the same work always.
template <execution_space Exec, class Key>
class VisitGraphs {
 public:
  /// Async   enqueued on `exec`, with no fence. The second time allocates a graph.
  void run(const Exec& exec, const Key& key, const std::function<void()>& work) {
    // (Within a capture of somebody else's it becomes part of that.)
    if (!CapturedWork<Exec>::can_capture(exec) || Capture<Exec>::current() != nullptr) return work();
    const auto [place, is_first] = graphs_.try_emplace(key);
    if (is_first) return work();
    std::optional<CapturedWork<Exec>>& graph = place->second;
    if (!graph) graph.emplace(exec, work);
    graph->replay(exec);
  }

  void clear() { graphs_.clear(); }

 private:
  std::map<Key, std::optional<CapturedWork<Exec>>> graphs_;
};

}  // namespace ashlar::multigrid::impl
