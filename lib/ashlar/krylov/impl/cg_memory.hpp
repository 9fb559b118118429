#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/team_sums.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <cstdint>
#include <string>
#include <utility>

namespace ashlar::impl {

/// Iterations between two convergence checks at most, and so the norms that the device keeps.
inline constexpr int most_between_checks = 1024;

/// What all forms of CG keep on the device besides vectors. `sums` has the sums of one step side by side, so that there
/// is one reduction for all of them.
template <execution_space Exec>
struct CgMemory {
  using Space = typename Exec::memory_space;
  using Sums = Kokkos::View<double*, Space>;

  explicit CgMemory(const Exec& exec)
      : scalars(Kokkos::view_alloc(exec, "ashlar::cg::scalars")),
        sums(Kokkos::view_alloc(exec, "ashlar::cg::sums"), most_sums_of_step),
        history(Kokkos::view_alloc(exec, "ashlar::cg::history"), most_between_checks),
        team_sums(exec) {}

  /// Sums k to k + count - 1.
  Sums sums_from(int k, int count) const { return Kokkos::subview(sums, std::make_pair(k, k + count)); }
  /// Sum k.
  Kokkos::View<double, Space> sum(int k) const { return Kokkos::subview(sums, k); }

  Kokkos::View<CgScalars, Space> scalars;
  Sums sums;
  Kokkos::View<double*, Space> history;  ///< a ring of ||r||, by iteration
  TeamSums<Space> team_sums;
};

/// A vector that nobody has written to.
template <class Vector, execution_space Exec>
Vector new_vector(const Exec& exec, const char* name, std::int64_t n) {
  return Vector(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(name)), n);
}

}  // namespace ashlar::impl
