#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace ashlar::impl {

/// The data of a method on the device besides vectors. `sums` has the sums of one step side by side, so that there is
/// one reduction for all of them.
///
/// `scalars_on_host`: of a method whose progress the host computes, scalars and history are in its own memory.
template <execution_space Exec, class ScalarsOfMethod, bool scalars_on_host = false>
struct SolverMemory {
  using Scalars = ScalarsOfMethod;
  using Space = typename Exec::memory_space;
  using Sums = Kokkos::View<double*, Space>;
  using ScalarsSpace = std::conditional_t<scalars_on_host, Kokkos::HostSpace, Space>;
  static constexpr bool is_on_host = scalars_on_host;

  SolverMemory(const Exec& exec, int num_sums)
      : scalars(allocation(exec, "ashlar::solver::scalars")),
        sums(Kokkos::view_alloc(exec, "ashlar::solver::sums"), num_sums),
        history(allocation(exec, "ashlar::solver::history"), most_between_checks),
        team_sums(exec) {}

  /// Sums k to k + count - 1.
  Sums sums_from(int k, int count) const { return Kokkos::subview(sums, std::make_pair(k, k + count)); }

  Kokkos::View<Scalars, ScalarsSpace> scalars;
  Sums sums;
  Kokkos::View<double*, ScalarsSpace> history;  ///< a ring of ||r||, by iteration
  TeamSums<Space> team_sums;

 private:
  static auto allocation(const Exec& exec, const char* name) {
    if constexpr (is_on_host) {
      return Kokkos::view_alloc(std::string(name));
    } else {
      return Kokkos::view_alloc(exec, std::string(name));
    }
  }
};

/// A vector that nobody has written to.
template <class Vector, execution_space Exec>
Vector new_vector(const Exec& exec, const char* name, std::int64_t n) {
  return Vector(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(name)), n);
}

/// Sums over the local part become sums over all parts: one reduction, with nothing enqueued under it.
template <class Exec, class Space, class Sums>
void sum_over_parts(const Exec& exec, const Space& space, const Sums& sums) {
  space.sum_begin(exec, sums);
  space.sum_end(exec, sums);
}

/// The kernel of change_scalars(), which has one thread.
template <class Scalars, class Change>
struct ScalarsChange {
  Scalars* scalars;
  const double* sums;
  double* history;
  Change change;

  KOKKOS_FUNCTION void operator()(std::int64_t) const { change(*scalars, sums, history); }
};

/// Enqueues change(scalars, sums, history) for the scalars of a method, its sums on the device, and the ring of norms.
/// If the scalars are on the host, it runs there, now.
template <execution_space Exec, class Memory, class Change>
void change_scalars(const char* label, const Exec& exec, const Memory& memory, const Change& change) {
  if constexpr (Memory::is_on_host) {
    change(memory.scalars(), memory.sums.data(), memory.history.data());
  } else {
    using Scalars = typename Memory::Scalars;
    for_entries(label, exec, 1,
                ScalarsChange<Scalars, Change>{memory.scalars.data(), memory.sums.data(), memory.history.data(),
                                               change});
  }
}

/// The scalars of a solve that has not begun.
template <execution_space Exec, class Memory>
void reset_scalars(const Exec& exec, const Memory& memory, const StoppingLimits& limits) {
  using Scalars = typename Memory::Scalars;
  change_scalars(
      "ashlar::solver[reset]", exec, memory, KOKKOS_LAMBDA(Scalars & s, const double*, double*) {
        s = Scalars{};
        s.limits = limits;
      });
}

template <execution_space Exec, class Memory>
void set_limits(const Exec& exec, const Memory& memory, const StoppingLimits& limits) {
  using Scalars = typename Memory::Scalars;
  change_scalars(
      "ashlar::solver[limits]", exec, memory,
      KOKKOS_LAMBDA(Scalars & s, const double*, double*) { s.limits = limits; });
}


/// Bytes that a method and its solver allocate where vectors are: so many vectors of n entries, and SolverMemory.
inline std::uint64_t method_bytes(std::int64_t n, std::uint64_t vectors, std::size_t bytes_of_entry,
                                  std::size_t bytes_of_scalars, int num_sums) {
  using Sums = TeamSums<Kokkos::HostSpace>;
  const std::uint64_t numbers = std::max(num_sums, 3) + Sums::most_sums * Sums::most_teams + most_between_checks;
  return vectors * std::uint64_t(n) * bytes_of_entry + bytes_of_scalars + numbers * sizeof(double) + sizeof(unsigned);
}

}  // namespace ashlar::impl
