#pragma once

#include <ashlar/base/algorithms.hpp>
#include <cstdint>

#include "types.hpp"

namespace ashlar::app {

/// Fills x with pseudo-random numbers, row by row; each seed gives other numbers. Rows are counted from first_row, of
/// num_rows in all, so that each rank fills its part of one vector.
///
/// Async    enqueued on `exec`.
template <class Exec, class X>
void fill_pseudo_random(const Exec& exec, const X& x, std::uint64_t seed, std::int64_t first_row,
                        std::int64_t num_rows) {
  const auto n = static_cast<std::int64_t>(x.size()), columns = static_cast<std::int64_t>(x.extent(1));
  const std::uint64_t first = seed * std::uint64_t(num_rows * columns) + std::uint64_t(first_row * columns);
  Kokkos::parallel_for(
      "ashlar::app::pseudo_random", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
      KOKKOS_LAMBDA(std::int64_t i) {
        // A vector has one column, 0.
        x.access(i / columns, i % columns) = pseudo_random(first + std::uint64_t(i));
      });
}

/// Fills a whole vector.
template <class Exec, class X>
void fill_pseudo_random(const Exec& exec, const X& x, std::uint64_t seed) {
  fill_pseudo_random(exec, x, seed, 0, static_cast<std::int64_t>(x.extent(0)));
}

}  // namespace ashlar::app
