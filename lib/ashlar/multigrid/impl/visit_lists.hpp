#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/impl/step.hpp>
#include <ashlar/multigrid/impl/step_recorder.hpp>
#include <ashlar/multigrid/impl/visit_kernel.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::multigrid {

/// What is done on a level and all coarser ones when it is its turn: a V-cycle, one that is symmetric, or an F-cycle.
enum class Visit { v_cycle, symmetric_v_cycle, f_cycle };
inline constexpr std::array all_visits{Visit::v_cycle, Visit::symmetric_v_cycle, Visit::f_cycle};

namespace impl {

/// The visits of small levels that are one kernel each: lists of steps, in the memory of Exec.
template <execution_space Exec, class Real>
class VisitLists {
 public:
  explicit VisitLists(const Exec& exec) : kernel_(exec) {}

  const VisitKernel<Exec, Real>& kernel() const { return kernel_; }

  /// Makes the lists of the visits that begin on the levels `first` to `last`. enqueue(level, visit) enqueues one, with
  /// set_zero() of the level's u before a V-cycle. Waits for `exec`, and allocates.
  ///
  /// Returns   what in a visit cannot be a step, by its name; then there are no lists.
  template <class Enqueue>
  std::string record(const Exec& exec, std::size_t first, std::size_t last, const Enqueue& enqueue) {
    clear();
    StepRecorder recorder(kernel_.most_tiles());
    std::vector<Step> all;
    {
      const StepRecorder::Scope under_way(recorder);
      for (std::size_t level = first; level <= last; ++level) {
        for (const Visit visit : all_visits) {
          enqueue(level, visit);
          const std::vector<Step> steps = recorder.take();
          const int begin = static_cast<int>(all.size());
          const auto is_for_one = [](const Step& step) { return step.is_for_one_team != 0; };
          all.insert(all.end(), steps.begin(), steps.end());
          lists_[{level, visit}] = {begin, static_cast<int>(all.size()),
                                    std::all_of(steps.begin(), steps.end(), is_for_one)};
        }
      }
    }
    if (!recorder.refused().empty()) {
      clear();
      return recorder.refused();
    }
    memory_ = recorder.take_memory();
    steps_ = to_space(exec, "ashlar::multigrid::steps", all);
    return "";
  }

  void clear() {
    lists_.clear();
    memory_.clear();
    steps_ = {};
  }

  /// Enqueues the visit if it has a list, with or without setting u to zero before a V-cycle; returns whether it has.
  bool enqueue(const Exec& exec, std::size_t level, Visit visit, bool from_zero) const {
    const auto found = lists_.find({level, visit});
    if (found == lists_.end()) return false;
    StepRange range = found->second;
    if (visit != Visit::f_cycle && !from_zero) ++range.first;
    if (range.first < range.end) kernel_.enqueue(exec, steps_.data(), range);
    return true;
  }

  /// Whether visits that begin on this level are one kernel.
  bool has(std::size_t level) const { return lists_.contains({level, Visit::v_cycle}); }

 private:
  VisitKernel<Exec, Real> kernel_;
  Kokkos::View<Step*, typename Exec::memory_space> steps_;
  std::map<std::pair<std::size_t, Visit>, StepRange> lists_;  // of steps_
  std::vector<std::shared_ptr<void>> memory_;                 // what the steps point to besides
};

}  // namespace impl
}  // namespace ashlar::multigrid
