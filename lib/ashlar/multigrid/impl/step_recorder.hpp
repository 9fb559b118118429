#pragma once

#include <algorithm>
#include <ashlar/multigrid/ghost_plan.hpp>
#include <ashlar/multigrid/impl/items.hpp>
#include <ashlar/multigrid/impl/step.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::multigrid::impl {

/// A list of regions as lists of smaller ones, of which each has `most_cells` cells or fewer: it is cut across k, then
/// across j.
template <class Region, class Part>
std::vector<Region> cut(const std::vector<Region>& regions, int most_cells, const Part& part) {
  std::vector<Region> result;
  for (const Region& region : regions) {
    const Index3& size = region.size;
    const int rows = std::max(1, most_cells / size[0]), nj = std::min(rows, size[1]);
    const int nk = std::max(1, rows / nj);
    for (int k = 0; k < size[2]; k += nk) {
      for (int j = 0; j < size[1]; j += nj) {
        result.push_back(
            part(region, Index3{0, j, k}, Index3{size[0], std::min(nj, size[1] - j), std::min(nk, size[2] - k)}));
      }
    }
  }
  return result;
}

inline GhostCopy part_of(const GhostCopy& copy, const Index3& begin, const Index3& size) {
  GhostCopy part = copy;
  part.size = size;
  for (int d = 0; d < 3; ++d) {
    part.from[d] += begin[d];
    part.to[d] += begin[d];
  }
  return part;
}
inline BoundaryRegion part_of(const BoundaryRegion& region, const Index3& begin, const Index3& size) {
  BoundaryRegion part = region;
  part.size = size;
  for (int d = 0; d < 3; ++d) part.begin[d] += begin[d];
  return part;
}

/// While one is under way on a thread, kernels of a visit are not launched there, but become steps of its list, in
/// the same order and with the same arguments. Whatever else would be launched is refused.
class StepRecorder {
 public:
  /// So many cells that are copied or set are as much as the operator at one.
  static constexpr int cheap = 4;

  /// All teams together have scratch memory for `most_tiles` tiles of RelaxInScratch.
  explicit StepRecorder(int most_tiles) : most_tiles_(most_tiles) {}
  int most_tiles() const { return most_tiles_; }

  /// Null where nothing is being recorded.
  static StepRecorder* current() { return current_; }

  class Scope {
   public:
    explicit Scope(StepRecorder& recorder) : before_(std::exchange(current_, &recorder)) {}
    ~Scope() { current_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StepRecorder* before_;
  };

  /// kernel(i) for i < count, which is as much as the operator at `cells` cells.
  template <class Kernel>
  void add(const std::string& label, const Kernel& kernel, std::int64_t count, std::int64_t cells) {
    if constexpr (step_kind<Kernel>() < 0) {
      refuse(label);
    } else {
      if (count > 0) steps_.push_back(make_step(kernel, count, cells <= cells_of_one_team));
    }
  }

  /// body(region, ...) for the regions of a list, in small parts; to_space(parts) is a list of them in the same memory.
  /// Waits for the device.
  template <class List, class Body, class ToSpace>
  void add_regions(const std::string& label, const List& regions, const Body& body, const ToSpace& to_space) {
    using Region = typename List::non_const_value_type;
    using Kernel = AtRegions<Items<Region>, Body>;
    if constexpr (step_kind<Kernel>() < 0) {
      refuse(label);
    } else {
      std::shared_ptr<void>& memory = cut_[regions.data()];
      if (!memory) {
        const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), regions);
        const std::vector<Region> all(host.data(), host.data() + host.extent(0));
        const auto part = [](const auto& region, const Index3& begin, const Index3& size) {
          return part_of(region, begin, size);
        };
        memory = std::make_shared<List>(to_space(cut(all, cells_of_region, part)));
      }
      const auto list = items(*std::static_pointer_cast<List>(memory));
      steps_.push_back(
          make_step(Kernel{list, body}, list.count, list.count * cells_of_region <= cheap * cells_of_one_team));
    }
  }

  /// Memory of zeros for `count` items that steps share, always the same for an `owner`, who asks for the same each
  /// time. Allocates.
  template <class Item, class Space, class Exec>
  Item* room(const Exec& exec, const void* owner, std::size_t count) {
    using Room = Kokkos::View<Item*, Space>;
    std::shared_ptr<void>& memory = rooms_[owner];
    if (!memory) memory = std::make_shared<Room>(Kokkos::view_alloc(exec, "ashlar::multigrid::room"), count);
    return std::static_pointer_cast<Room>(memory)->data();
  }

  /// What is no step, and so its visit no list of them.
  void refuse(const std::string& label) {
    if (refused_.empty()) refused_ = label;
  }
  /// The first that was refused; empty where there is none.
  const std::string& refused() const { return refused_; }

  /// The steps so far; the next list begins.
  std::vector<Step> take() {
    int since_met = 0;        // so many steps since all teams have met
    bool is_for_all = false;  // one of them
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      ++since_met;
      is_for_all = is_for_all || steps_[s].is_for_one_team == 0;
      const Step* const next = s + 1 < steps_.size() ? &steps_[s + 1] : nullptr;
      const bool next_is_for_all = next != nullptr && next->is_for_one_team == 0;
      // A step that needs nothing of the one before it may need something of those before that.
      const bool may_go_on = next != nullptr && next->needs_none_before != 0 && since_met == 1;
      steps_[s].all_meet_after_it = (is_for_all || next_is_for_all) && !may_go_on ? 1 : 0;
      if (steps_[s].all_meet_after_it != 0) {
        since_met = 0;
        is_for_all = false;
      }
    }
    return std::exchange(steps_, {});
  }

  /// Memory that steps point to, which lives as long as they do.
  std::vector<std::shared_ptr<void>> take_memory() {
    std::vector<std::shared_ptr<void>> all;
    for (const auto* memory : {&cut_, &rooms_}) {
      for (const auto& [owner, room] : *memory) all.push_back(room);
    }
    return all;
  }

 private:
  static constexpr int cells_of_region = 32;

  static inline thread_local StepRecorder* current_ = nullptr;

  int most_tiles_;
  std::vector<Step> steps_;
  std::map<const void*, std::shared_ptr<void>> cut_;    // lists of regions, by where the whole ones are
  std::map<const void*, std::shared_ptr<void>> rooms_;  // by their owners
  std::string refused_;
};

}  // namespace ashlar::multigrid::impl
