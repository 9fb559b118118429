#pragma once

#include <algorithm>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace ashlar::testing {

using namespace ashlar::multigrid;
using Exec = Kokkos::DefaultExecutionSpace;
using BoxVector = Level<Exec>::Vector;
inline constexpr auto fv2 = Discretisation::fv2, fv4 = Discretisation::fv4;

/// The larger of two errors; infinity where one is no number, so that NaN never passes.
inline double larger(double worst, double off) {
  return std::isnan(off) ? std::numeric_limits<double>::infinity() : std::max(worst, off);
}

/// The finest level alone.
inline Level<Exec> one_level(int boxes_per_dim, int box_dim, Discretisation kind = Discretisation::fv4) {
  return {Exec(), BoxGrid(boxes_per_dim, box_dim), kind, Equation::poisson, 0};
}

/// The benchmark's problem on all levels.
inline std::unique_ptr<Multigrid<Exec>> benchmark(int box_dim, int boxes, const MultigridOptions& options) {
  const Exec exec;
  const auto grids = make_hierarchy(boxes_per_dimension(box_dim, boxes, 1), box_dim, reach_of(options.discretisation));
  auto result = std::make_unique<Multigrid<Exec>>(exec, grids, options);
  set_benchmark_problem(exec, result->level(0));
  result->set_up(exec);
  return result;
}

/// A copy of a vector of a level on the host, by box and cell within it, or by cell of the whole level.
class HostVector {
 public:
  HostVector(const Level<Exec>& level, const BoxVector& x)
      : grid_(level.grid), layout_(level.layout), x_(Kokkos::create_mirror(x)), device_(x) {
    Kokkos::deep_copy(x_, x);
  }

  double& in_box(int box, int i, int j, int k) { return x_.data()[layout_.at(box, i, j, k)]; }
  double& operator()(int i, int j, int k) {
    const int n = layout_.dim;
    return in_box(grid_.box_at({i / n, j / n, k / n}), i % n, j % n, k % n);
  }
  /// Sets each cell of the level to value(i, j, k), ghost cells to `ghosts`, on the device, too.
  template <class Value>
  void fill(const Value& value, double ghosts = -1e300) {
    for (std::size_t at = 0; at < x_.size(); ++at) x_.data()[at] = ghosts;
    const int n = grid_.cells_per_dim();
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) (*this)(i, j, k) = value(i, j, k);
      }
    }
    to_device();
  }
  void to_device() { Kokkos::deep_copy(device_, x_); }

 private:
  BoxGrid grid_;
  BoxLayout layout_;
  BoxVector::host_mirror_type x_;
  BoxVector device_;
};

}  // namespace ashlar::testing
