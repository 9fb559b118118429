#pragma once

#include <gtest/gtest.h>

#include <ashlar/comm/communicator.hpp>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <support/thread_ranks.hpp>
#include <type_traits>
#include <vector>

#include "levels.hpp"

// Levels of which each rank has its boxes.

namespace ashlar::testing {

/// No message here is longer.
inline constexpr std::int64_t all_as_packets = 1 << 20;

inline constexpr ThreadRanksOptions with_delays{.max_delay = std::chrono::microseconds(100), .seed = 3};

/// All levels over all ranks, on GPUs as well, and in the boxes that a run on many ranks has.
inline constexpr HierarchyOptions over_all_ranks{.min_cells_per_rank = 0, .joins_boxes = false};

/// Why ranks, which are threads here, cannot wait for each other in kernels; null where they can.
inline const char* why_no_kernels_of_ranks() {
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
  return "this Kokkos has no threads: ranks take turns, and none waits in a kernel";
#else
  if (!is_gpu_v<Exec>) return nullptr;
  return "ranks that share a device: what allocates waits for kernels that wait for it";
#endif
}

/// The grids of this rank.
inline std::vector<BoxGrid> grids_of(const Communicator& comm, int boxes_per_dim, int box_dim,
                                     Discretisation discretisation, const HierarchyOptions& levels = over_all_ranks) {
  return make_hierarchy(boxes_per_dim, box_dim, reach_of(discretisation), comm.size(), comm.rank(), levels);
}

/// The benchmark's problem on all levels.
inline std::unique_ptr<Multigrid<Exec>> benchmark_of_ranks(const Exec& exec, const Communicator& comm,
                                                           int boxes_per_dim, int box_dim,
                                                           const MultigridOptions& options,
                                                           const HierarchyOptions& levels = over_all_ranks) {
  auto result = std::make_unique<Multigrid<Exec>>(
      exec, grids_of(comm, boxes_per_dim, box_dim, options.discretisation, levels), options, comm);
  set_benchmark_problem(exec, result->level(0));
  result->set_up(exec);
  return result;
}

/// All that solves on the three finest levels tell, and the matrices of all levels.
inline std::vector<double> numbers_of(const Communicator& comm, int boxes_per_dim, int box_dim,
                                      const MultigridOptions& options, Cycle cycle,
                                      const Exec& exec = rank_instance<Exec>(),
                                      const HierarchyOptions& levels = over_all_ranks) {
  const auto multigrid = benchmark_of_ranks(exec, comm, boxes_per_dim, box_dim, options, levels);
  std::vector<double> numbers;
  for (std::size_t l = 0; l < multigrid->num_levels(); ++l) {
    multigrid->with_level(l, [&]<class Where>(const Level<Where>& level) {  // on the host, maybe
      const auto where = [&] {
        if constexpr (std::is_same_v<Where, Exec>) {
          return exec;
        } else {
          return rank_instance<Where>();
        }
      }();
      numbers.push_back(level.largest_eigenvalue);
      numbers.push_back(max_norm(where, level, level.f));
      numbers.push_back(max_norm(where, level, level.inverse_diagonal));
    });
  }
  const auto found = richardson(exec, *multigrid, cycle);
  for (const CycleReport& solve : {found->h, found->h2, found->h4}) {
    EXPECT_TRUE(solve.converged);
    EXPECT_GT(solve.bottom_iterations, 0);
    numbers.insert(numbers.end(), solve.norms.begin(), solve.norms.end());
    numbers.insert(numbers.end(), {solve.norm_of_f, solve.rel, double(solve.bottom_iterations)});
  }
  numbers.insert(numbers.end(), {found->error, found->order});
  return numbers;
}

/// A copy on the host of a rank's boxes.
class RankVector {
 public:
  RankVector(const Exec& exec, const Level<Exec>& level, const BoxVector& x)
      : exec_(exec), grid_(level.grid), layout_(level.layout), x_(Kokkos::create_mirror(x)), device_(x) {
    Kokkos::deep_copy(exec, x_, x);
    exec.fence("test: copied");
  }

  /// Boxes are the rank's own, by number from 0.
  double& operator()(int box, int i, int j, int k) { return x_.data()[layout_.at(box, i, j, k)]; }

  /// Sets all cells, ghost cells and those of no shape as well, to value(box, i, j, k), where boxes count over all
  /// ranks; on the device, too.
  template <class Value>
  void fill(const Value& value) {
    const int low = -layout_.ghosts, high = layout_.dim + layout_.ghosts;
    for (int box = 0; box < grid_.num_own(); ++box) {
      for (int k = low; k < high; ++k) {
        for (int j = low; j < high; ++j) {
          for (int i = low; i < high; ++i) (*this)(box, i, j, k) = value(grid_.first_own() + box, i, j, k);
        }
      }
    }
    Kokkos::deep_copy(exec_, device_, x_);
    exec_.fence("test: copied");
  }

  /// All numbers of each box, ghost cells included.
  std::vector<std::vector<double>> boxes() const {
    std::vector<std::vector<double>> result;
    const auto volume = static_cast<std::size_t>(layout_.volume());
    for (std::size_t box = 0; box < static_cast<std::size_t>(grid_.num_own()); ++box) {
      result.emplace_back(x_.data() + box * volume, x_.data() + (box + 1) * volume);
    }
    return result;
  }

 private:
  Exec exec_;
  BoxGrid grid_;
  BoxLayout layout_;
  BoxVector::host_mirror_type x_;
  BoxVector device_;
};

}  // namespace ashlar::testing
