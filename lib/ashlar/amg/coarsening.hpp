#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/aggregate.hpp>
#include <ashlar/amg/galerkin.hpp>
#include <ashlar/amg/gathering.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/amg/options.hpp>
#include <ashlar/amg/smooth_prolongator.hpp>
#include <ashlar/amg/strength.hpp>
#include <ashlar/amg/tentative.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace ashlar::amg {

/// Seconds of set-up by phase.
struct SetupTimes {
  double smoothers = 0, aggregation = 0, tentative = 0, prolongators = 0, galerkin = 0, coarsest = 0;
  double sum() const { return smoothers + aggregation + tentative + prolongators + galerkin + coarsest; }
};

namespace impl {

/// work(), whose time is added to `seconds`. Waits for `exec`.
template <class Exec, class Work>
auto timed(const Exec& exec, double& seconds, const Work& work) {
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

}  // namespace impl

/// The structures between a level and the next, with which the prolongator and the coarse matrix follow from each new
/// A. All of it is in the precision of A.
///
/// Async    all members wait for `exec`. Over ranks: collective.
template <class A>
class Coarsening {
 public:
  using Local = typename LevelMatrix<A>::Local;
  using Modes = NearNullSpace<typename Local::memory_space>;

  /// The coarsening by aggregates of the nodes of `fine`, and `modes` become the coarse level's. Nothing if that had
  /// hardly fewer nodes.
  template <execution_space Exec>
  static std::optional<Coarsening> by_aggregates(const Exec& exec, const A& fine, Modes& modes, const Options& options,
                                                 SetupTimes& times) {
    const Communicator& comm = LevelMatrix<A>::communicator_of(fine);
    const Local& local = LevelMatrix<A>::local_of(fine);
    const auto aggregates = impl::timed(exec, times.aggregation, [&] {
      return comm.together([&] { return aggregate(exec, strength_graph(exec, local, options.strength)); });
    });
    const std::int64_t count = comm.sum(std::int64_t(aggregates.count));
    if (count == 0 || 5 * count > 4 * comm.sum(std::int64_t(local.num_block_rows()))) return std::nullopt;
    const Tentative<Local> tentative = impl::timed(exec, times.tentative, [&] {
      return comm.together([&] { return tentative_prolongator<Local>(exec, aggregates, modes, local.block_size()); });
    });
    Coarsening made = impl::timed(exec, times.prolongators, [&] { return Coarsening(exec, fine, tentative, options); });
    modes = made.gathering_.modes(exec, tentative.coarse_modes);
    return made;
  }

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
