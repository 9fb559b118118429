#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::impl {

/// Bytes that a method and its solver allocate where vectors are: so many vectors of n entries, and SolverMemory.
inline std::uint64_t method_bytes(std::int64_t n, std::uint64_t vectors, std::size_t bytes_of_entry,
                                  std::size_t bytes_of_scalars, int num_sums) {
  using Sums = TeamSums<Kokkos::HostSpace>;
  const std::uint64_t numbers = std::max(num_sums, 3) + Sums::most_sums * Sums::most_teams + most_between_checks;
  return vectors * std::uint64_t(n) * bytes_of_entry + bytes_of_scalars + numbers * sizeof(double) + sizeof(unsigned);
}

}  // namespace ashlar::impl
