#pragma once

#include <ashlar/amg/galerkin.hpp>
#include <ashlar/amg/gathering.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/amg/options.hpp>
#include <ashlar/amg/smooth_prolongator.hpp>
#include <ashlar/amg/tentative.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <optional>

namespace ashlar::amg {

/// The structures between a level and the next, with which the prolongator and the coarse matrix follow from each new
/// A. All of it is in the precision of A.
///
/// Async    all members wait for `exec`. Over ranks: collective.
template <class A>
class Coarsening {
 public:
  using Local = typename LevelMatrix<A>::Local;
  using Modes = NearNullSpace<typename Local::memory_space>;

  template <execution_space Exec>
  Coarsening(const Exec& exec, const A& fine, const Tentative<Local>& made, const Options& options)
      : strength_(options.strength),
        tentative_(made.prolongator),
        distributed_tentative_(LevelMatrix<A>::prolongator_of(exec, fine, made.prolongator)),
        smoothing_(exec, LevelMatrix<A>::filtered(exec, fine, strength_), distributed_tentative_),
        gathering_(distributed_tentative_, options.fewest_rows) {}

  /// P := (I - omega D^-1 A) P0
  template <execution_space Exec>
  A prolongator(const Exec& exec, const A& fine, const BlockJacobiPreconditioner<Local>& inverse, double omega) {
    const auto rows = smooth_prolongator(exec, smoothing_, LevelMatrix<A>::filtered(exec, fine, strength_),
                                         distributed_tentative_, tentative_, inverse.diagonal_inverse().values, omega);
    const A p = smoothing_.distribute(exec, rows, p_ ? &*p_ : nullptr);
    if constexpr (LevelMatrix<A>::needs_earlier_results) p_ = p;
    exec.fence("ashlar::amg: a prolongator");  // `inverse` may go
    return p;
  }

  /// P as the coarse level needs it.
  template <execution_space Exec>
  A for_coarse_level(const Exec& exec, const A& p) {
    return gathering_.prolongator(exec, p);
  }

  /// P^T A P, on the ranks of the coarse level.
  template <execution_space Exec>
  A coarse_matrix(const Exec& exec, const A& fine, const A& p) {
    const A coarse =
        galerkin_.multiply(exec, LevelMatrix<A>::communicator_of(fine), fine, p, coarse_ ? &*coarse_ : nullptr);
    if constexpr (LevelMatrix<A>::needs_earlier_results) coarse_ = coarse;
    return gathering_.matrix(exec, coarse);
  }

  /// The modes of the coarse level, on its ranks.
  template <execution_space Exec>
  Modes coarse_modes(const Exec& exec, const Modes& modes) const {
    return gathering_.modes(exec, modes);
  }

 private:
  double strength_;
  Local tentative_;  ///< this rank's rows, in its own columns
  A distributed_tentative_;
  typename LevelMatrix<A>::Product smoothing_;
  GalerkinProduct<A> galerkin_;
  Gathering<A> gathering_;
  std::optional<A> p_, coarse_;  ///< earlier results, if new ones need their patterns
};

}  // namespace ashlar::amg
