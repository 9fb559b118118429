#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <cstddef>
#include <cstdint>

// Bytes that the forms of CG allocate where vectors are, for n entries of the local part, beside a header of some
// hundred for each of a few allocations: what block_cg_bytes() is for block CG. They stand beside the solvers' headers,
// as who plans memory need not compile solvers. Without the copy of the matrix that CgOptions::copy_bytes allows.

namespace ashlar {

namespace impl {

inline std::uint64_t cg_bytes(std::int64_t n, std::uint64_t vectors, std::size_t scalar_bytes) {
  using Sums = TeamSums<Kokkos::HostSpace>;
  // Besides vectors: sums, the norms of an interval (CgOptions::check_interval), and what teams add up.
  constexpr std::uint64_t interval = 1024, numbers = most_sums_of_step + Sums::most_sums * Sums::most_teams + interval;
  return vectors * std::uint64_t(n) * scalar_bytes + sizeof(CgScalars) + numbers * sizeof(double) + sizeof(unsigned);
}

}  // namespace impl

inline std::uint64_t cg_bytes(std::int64_t n, std::size_t scalar_bytes, bool preconditioned) {
  return impl::cg_bytes(n, preconditioned ? 5 : 4, scalar_bytes);
}

inline std::uint64_t single_reduction_cg_bytes(std::int64_t n, std::size_t scalar_bytes, bool preconditioned) {
  return impl::cg_bytes(n, preconditioned ? 6 : 5, scalar_bytes);
}

inline std::uint64_t pipelined_cg_bytes(std::int64_t n, std::size_t scalar_bytes, bool preconditioned) {
  return impl::cg_bytes(n, preconditioned ? 10 : 7, scalar_bytes) + sizeof(bool);
}

}  // namespace ashlar
