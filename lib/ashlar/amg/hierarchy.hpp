#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/coarsening.hpp>
#include <ashlar/amg/figures.hpp>
#include <ashlar/amg/impl/check_input.hpp>
#include <ashlar/amg/level.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/amg/options.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/cycles/cycle.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <cstddef>
#include <cstdint>
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
// until A_l is small enough for a dense inverse. All of this is computed in the precision of A. A cycle uses A_l and
// P_l rounded to the precision of the levels. (Rounding A_l first would be too much for slender bodies: the energy of
// their bending is below a float's rounding of A, and coarse matrices of rounded ones have other soft modes.)

namespace ashlar::amg {

/// The levels of smoothed aggregation for a matrix, and the steps of their cycle. A is a BcsrMatrix, or with
/// amg/distributed.hpp a DistributedMatrix; Real is the precision of the levels. Aggregates lie within ranks, and
/// levels with few block rows a rank on fewer ranks. All decisions are made by all ranks together.
template <class A, class Real = typename LevelMatrix<A>::Scalar>
class Hierarchy {
 public:
  using InReal = InPrecision<A, Real>;
  using Matrix = typename InReal::type;  ///< of all levels
  using Local = typename LevelMatrix<A>::Local;
  using Space = typename Local::memory_space;
  using Modes = NearNullSpace<Space>;

  /// Shapes   A is square, with square blocks; `modes` has the rows of A that this rank has, and 1 to max_modes
  ///          columns.
  /// Memory   shares the values of A. If they change, update_values() follows before the next cycle.
  /// Async    waits for `exec`. Over ranks: collective.
  /// Throws   on all ranks together: ShapeError, ArgumentError, BlockSizeError; NumericalError if a mode is 0, not
  ///          finite or dependent on others, if A has a negative diagonal entry, or if, on some level, a diagonal block
  ///          has no inverse or D^-1 A no positive eigenvalue.
  ///
  /// A first_level above 0 is the number of A among levels that were made elsewhere. Messages count from it, and of
  /// such an A and its modes only sizes are checked, as of all coarse levels.
  template <execution_space Exec>
  Hierarchy(const Exec& exec, const A& a, Modes modes, const Options& options = {}, int first_level = 0)
      : options_(options), first_level_(first_level) {
    check(options);
    if (first_level_ == 0) {
      impl::check_input(exec, a, modes);
    } else {
      LevelMatrix<A>::communicator_of(a).together([&] { impl::check_sizes(LevelMatrix<A>::local_of(a), modes); });
    }
    levels_.push_back(impl::timed(exec, times_.smoothers, [&] {
      return of_level(0, [&] { return Level<Matrix>(exec, InReal::of(exec, a), options_); });
    }));
    options_.exchange = levels_.front().products().mode();
    A fine = a;
    while (can_be_coarser()) {
      auto step = Coarsening<A>::by_aggregates(exec, fine, modes, options_, times_);
      if (!step) {
        is_stalled_ = true;
        break;
      }
      coarsenings_.push_back(std::move(*step));
      fine = coarsen(exec, levels_.size() - 1, fine);
      levels_.push_back(impl::timed(exec, times_.smoothers, [&] {
        return of_level(levels_.size(), [&] { return Level<Matrix>(exec, InReal::of(exec, fine), options_); });
      }));
    }
    finish(exec, fine);
    cycle_ = cycles::cycle_steps(options_.cycle, static_cast<int>(levels_.size()));
  }

  /// New values of the matrix, in the same structure: aggregates and structures stay. Not for a strength above 0, by
  /// which aggregates depend on the values. After an exception the hierarchy is of no use: make a new one.
  ///
  /// Async    waits for `exec`.
  /// Throws   ShapeError for another structure; ArgumentError with a strength above 0; NumericalError as the
  ///          constructor.
  template <execution_space Exec>
  void update_values(const Exec& exec, const A& a) {
    if (options_.strength > 0) {
      throw ArgumentError(text("amg: new values with strength ", options_.strength),
                          "which couplings are strong depends on the values", "make a new hierarchy");
    }
    if (first_level_ == 0) impl::check_diagonal(exec, a);
    times_ = {};
    impl::timed(exec, times_.smoothers, [&] { of_level(0, [&] { set_matrix(exec, 0, a); }); });
    A fine = a;
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
      fine = coarsen(exec, l, fine);
      impl::timed(exec, times_.smoothers, [&] { of_level(l + 1, [&] { set_matrix(exec, l + 1, fine); }); });
    }
    finish(exec, fine);
  }

  /// One cycle from zero: x of level 0 from its b.
  ///
  /// Async    enqueued on `exec`; no fence, no allocation. Over ranks: collective, and waits as HaloExchange does.
  template <execution_space Exec>
  void cycle(const Exec& exec) const {
    cycles::run(exec, cycle_, levels_);
  }

  const std::vector<Level<Matrix>>& levels() const { return levels_; }
  const std::vector<cycles::Step>& steps() const { return cycle_; }
  const Options& options() const { return options_; }
  /// The seconds of the constructor, or of the last update_values().
  const SetupTimes& setup_times() const { return times_; }

  /// Of all ranks.
  std::vector<LevelFigures> figures() const {
    std::vector<LevelFigures> all;
    for (const Level<Matrix>& level : levels_) {
      const int b = level.local().block_size();
      const std::int64_t rows = level.products().num_global_rows();
      all.push_back({rows, rows / b, level.products().num_global_blocks(), b, level.largest_eigenvalue()});
    }
    return all;
  }

  /// The number of values on all levels over the number in A.
  double operator_complexity() const { return amg::operator_complexity(figures()); }

 private:
  /// work() for levels_[l]. Errors name a coarse level and no row: its rows are not the caller's.
  template <class Work>
  auto of_level(std::size_t l, const Work& work) const {
    const int number = first_level_ + static_cast<int>(l);
    try {
      return work();
    } catch (const NumericalError& error) {
      if (number == 0) throw;
      throw NumericalError(text("amg: level ", number, ": ", error.problem()), error.why(),
                           "take block-Jacobi, or no preconditioner");
    }
  }

  bool can_be_coarser() const {
    return levels_.back().products().num_global_rows() > options_.coarsest_rows &&
           int(levels_.size()) < options_.max_levels;
  }

  /// New values of level l, rounded, in the pattern of those before.
  template <class Exec>
  void set_matrix(const Exec& exec, std::size_t l, const A& a) {
    const Matrix& before = levels_[l].matrix();
    levels_[l].set_matrix(exec, LevelMatrix<Matrix>::in_pattern_of(exec, before, InReal::of(exec, a, &before)),
                          options_);
  }

  /// D^-1 of level l, whose matrix before rounding is `a`.
  template <class Exec>
  BlockJacobiPreconditioner<Local> block_jacobi(const Exec& exec, std::size_t l, const A& a) const {
    if constexpr (std::is_same_v<A, Matrix>) {
      return levels_[l].block_jacobi();
    } else {
      return levels_[l].products().comm().together(
          [&] { return BlockJacobiPreconditioner<Local>(exec, LevelMatrix<A>::local_of(a)); });
    }
  }

  /// The prolongator to level l, whose matrix is `fine`, and the matrix of level l + 1, in the patterns of those
  /// before.
  template <class Exec>
  A coarsen(const Exec& exec, std::size_t l, const A& fine) {
    Level<Matrix>& level = levels_[l];
    Coarsening<A>& step = coarsenings_[l];
    const A p = impl::timed(exec, times_.prolongators, [&] {
      const double omega = options_.prolongator_damping / level.largest_eigenvalue();
      return step.prolongator(exec, fine, block_jacobi(exec, l, fine), omega);
    });
    return impl::timed(exec, times_.galerkin, [&] {
      level.set_prolongator(exec, InReal::of(exec, step.for_coarse_level(exec, p),
                                             level.transfer() ? &level.transfer()->prolongator() : nullptr));
      return step.coarse_matrix(exec, fine, p);
    });
  }

  /// The dense inverse of the coarsest level, if it is small enough. Each of many ranks may have too few nodes left to
  /// aggregate: then the largest inverse is the limit.
  template <class Exec>
  void finish(const Exec& exec, const A& matrix) {
    const LevelMatrix<Matrix>& coarsest = levels_.back().products();
    const int most = is_stalled_ && !coarsest.comm().is_alone() ? most_coarsest_rows : options_.coarsest_rows;
    if (coarsest.num_global_rows() > most) return;
    impl::timed(exec, times_.coarsest, [&] {
      const auto own = coarsest.comm().together([&] { return LevelMatrix<A>::dense_rows(exec, matrix); });
      levels_.back().set_dense_inverse(exec, own);
    });
  }

  Options options_;
  int first_level_;  ///< the number of levels_[0] in messages
  SetupTimes times_;
  bool is_stalled_ = false;
  std::vector<Level<Matrix>> levels_;
  std::vector<Coarsening<A>> coarsenings_;
  std::vector<cycles::Step> cycle_;
};

}  // namespace ashlar::amg
