#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/aggregate.hpp>
#include <ashlar/amg/galerkin.hpp>
#include <ashlar/amg/impl/check_input.hpp>
#include <ashlar/amg/level.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/amg/options.hpp>
#include <ashlar/amg/smooth_prolongator.hpp>
#include <ashlar/amg/strength.hpp>
#include <ashlar/amg/tentative.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/cycles/cycle.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

// The hierarchy of smoothed aggregation. With A_0 = A and the near-null space B_0, for l = 0, 1, ...:
//
//   S        := strong couplings of A_l                      strength.hpp
//   N        := aggregates of nodes by S                     aggregate.hpp
//   P0 B_l+1 := B_l, aggregate by aggregate                  tentative.hpp
//   P_l      := (I - omega D^-1 A_l) P0                      smooth_prolongator.hpp
//   A_l+1    := P_l^T A_l P_l                                galerkin.hpp
//
// until A_l is small enough for a dense inverse.

namespace ashlar::amg {

/// Seconds of set-up by phase.
struct SetupTimes {
  double smoothers = 0, aggregation = 0, tentative = 0, prolongators = 0, galerkin = 0, coarsest = 0;
  double sum() const { return smoothers + aggregation + tentative + prolongators + galerkin + coarsest; }
};

/// Sizes of a level, for reports.
struct LevelFigures {
  std::int64_t rows = 0, block_rows = 0, blocks = 0;
  int block_size = 0;
  double largest_eigenvalue = 0;
};

/// The levels of smoothed aggregation for a matrix, and the steps of their cycle.
template <bcsr_matrix Matrix>
class Hierarchy {
 public:
  using Space = typename Matrix::memory_space;
  using Modes = NearNullSpace<Space>;

  /// Shapes   A is square, with square blocks; `modes` has the rows of A, and 1 to max_modes columns.
  /// Memory   shares the values of A. If they change, update_values() follows before the next cycle.
  /// Async    waits for `exec`.
  /// Throws   ShapeError, ArgumentError, BlockSizeError; NumericalError if a mode is 0 or not finite, or if, on some
  ///          level, a diagonal block has no inverse or D^-1 A no positive eigenvalue.
  template <execution_space Exec>
  Hierarchy(const Exec& exec, const Matrix& a, Modes modes, const Options& options = {}) : options_(options) {
    check(options);
    impl::check_input(exec, a, modes);
    levels_.push_back(timed(exec, times_.smoothers, [&] { return Level<Matrix>(exec, a, options_); }));
    while (can_be_coarser()) {
      const Matrix& fine = levels_.back().matrix();
      const auto aggregates = timed(exec, times_.aggregation,
                                    [&] { return aggregate(exec, strength_graph(exec, fine, options_.strength)); });
      if (aggregates.count == 0 || 5 * std::int64_t(aggregates.count) > 4 * std::int64_t(fine.num_block_rows())) break;
      Tentative<Matrix> tentative = timed(exec, times_.tentative, [&] {
        return tentative_prolongator<Matrix>(exec, aggregates, modes, fine.block_size());
      });
      modes = tentative.coarse_modes;
      coarsenings_.push_back(
          timed(exec, times_.prolongators, [&] { return Coarsening(exec, filtered(exec, fine), tentative); }));
      Matrix coarse = coarsen(exec, levels_.size() - 1);
      levels_.push_back(timed(exec, times_.smoothers, [&] {
        return of_level(levels_.size(), [&] { return Level<Matrix>(exec, std::move(coarse), options_); });
      }));
    }
    finish(exec);
    cycle_ = cycles::cycle_steps(options_.cycle, static_cast<int>(levels_.size()));
  }

  /// New values of the matrix, in the same structure: aggregates and structures stay. Not for a strength above 0, by
  /// which aggregates depend on the values. After an exception the hierarchy is of no use: make a new one.
  ///
  /// Async    waits for `exec`.
  /// Throws   ShapeError for another structure; ArgumentError with a strength above 0; NumericalError as the
  ///          constructor.
  template <execution_space Exec>
  void update_values(const Exec& exec, const Matrix& a) {
    const Matrix& before = levels_.front().matrix();
    if (a.block_shape() != before.block_shape() || !impl::are_alike(exec, a.graph(), before.graph())) {
      throw ShapeError(text("amg: new values of a matrix of ", a.num_blocks(), " blocks"),
                       text("the hierarchy was made for ", before.num_blocks(), " in other places"),
                       "make a new hierarchy");
    }
    if (options_.strength > 0) {
      throw ArgumentError(text("amg: new values with strength ", options_.strength),
                          "which couplings are strong depends on the values", "make a new hierarchy");
    }
    times_ = {};
    timed(exec, times_.smoothers, [&] {
      // (Plans know their matrix by its graph.)
      levels_.front().set_matrix(exec, Matrix(a.block_shape(), before.graph(), a.values()), options_);
    });
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
      Matrix coarse = coarsen(exec, l);
      timed(exec, times_.smoothers,
            [&] { of_level(l + 1, [&] { levels_[l + 1].set_matrix(exec, std::move(coarse), options_); }); });
    }
    finish(exec);
  }

  /// One cycle from zero: x of level 0 from its b.
  ///
  /// Async    enqueued on `exec`; no fence, no allocation.
  template <execution_space Exec>
  void cycle(const Exec& exec) const {
    cycles::run(exec, cycle_, levels_);
  }

  const std::vector<Level<Matrix>>& levels() const { return levels_; }
  const std::vector<cycles::Step>& steps() const { return cycle_; }
  const Options& options() const { return options_; }
  /// Of the constructor, or of the last update_values().
  const SetupTimes& setup_times() const { return times_; }

  std::vector<LevelFigures> figures() const {
    std::vector<LevelFigures> all;
    for (const Level<Matrix>& level : levels_) {
      const Matrix& a = level.matrix();
      all.push_back({a.num_rows(), std::int64_t(a.num_block_rows()), std::int64_t(a.num_blocks()), a.block_size(),
                     level.largest_eigenvalue()});
    }
    return all;
  }

  /// Values of the matrices of all levels, over those of A.
  double operator_complexity() const {
    double sum = 0;
    for (const Level<Matrix>& level : levels_) sum += double(level.matrix().num_values());
    return sum > 0 ? sum / double(levels_.front().matrix().num_values()) : 1;
  }

 private:
  /// The structures between a level and the next.
  struct Coarsening {
    template <class Exec>
    Coarsening(const Exec& exec, const Matrix& filtered, Tentative<Matrix> made)
        : tentative(std::move(made)), smoothing(exec, filtered.graph(), tentative.prolongator.graph()) {}

    Tentative<Matrix> tentative;
    MatrixProduct<Matrix> smoothing;
    std::optional<GalerkinProduct<Matrix>> galerkin;
  };

  template <class Exec, class Work>
  static auto timed(const Exec& exec, double& seconds, const Work& work) {
    const Kokkos::Timer timer;
    const auto stop = [&] {
      exec.fence("ashlar::amg: a phase of set-up");
      seconds += timer.seconds();
    };
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      stop();
    } else {
      auto result = work();
      stop();
      return result;
    }
  }

  /// work(), whose errors name the level and no row: rows of a coarse level are not the caller's.
  template <class Work>
  static auto of_level(std::size_t number, const Work& work) {
    try {
      return work();
    } catch (const NumericalError& error) {
      throw NumericalError(text("amg: level ", number, ": ", error.problem()), error.why(),
                           "take block-Jacobi, or no preconditioner");
    }
  }

  bool can_be_coarser() const {
    return levels_.back().matrix().num_rows() > options_.coarsest_rows && int(levels_.size()) < options_.max_levels;
  }

  /// The matrix whose strong couplings smooth the prolongator.
  template <class Exec>
  Matrix filtered(const Exec& exec, const Matrix& a) const {
    return options_.strength > 0 ? filtered_matrix(exec, a, options_.strength) : a;
  }

  /// The prolongator to level l and the matrix of level l + 1.
  template <class Exec>
  Matrix coarsen(const Exec& exec, std::size_t l) {
    Level<Matrix>& level = levels_[l];
    Coarsening& step = coarsenings_[l];
    const Matrix p = timed(exec, times_.prolongators, [&] {
      return smooth_prolongator(exec, step.smoothing, filtered(exec, level.matrix()), step.tentative.prolongator,
                                level.smoother().inverse_of_diagonal(),
                                options_.prolongator_damping / level.largest_eigenvalue());
    });
    return timed(exec, times_.galerkin, [&] {
      level.set_prolongator(exec, p);
      if (!step.galerkin) step.galerkin.emplace(exec, level.matrix(), p);
      return step.galerkin->multiply(exec, level.matrix(), p);
    });
  }

  template <class Exec>
  void finish(const Exec& exec) {
    if (levels_.back().matrix().num_rows() > options_.coarsest_rows) return;
    timed(exec, times_.coarsest, [&] { levels_.back().set_dense_inverse(exec); });
  }

  Options options_;
  SetupTimes times_;
  std::vector<Level<Matrix>> levels_;
  std::vector<Coarsening> coarsenings_;
  std::vector<cycles::Step> cycle_;
};

}  // namespace ashlar::amg
