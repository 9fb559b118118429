#pragma once

#include <cstdint>

#include "types.hpp"

namespace ashlar::app {

/// The i-th of a sequence of numbers from -0.5 to 0.5, the same in each run.
KOKKOS_INLINE_FUNCTION double pseudo_random(std::uint64_t i) {
  std::uint64_t bits = i * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9;
  return static_cast<double>(bits >> 11) / static_cast<double>(std::uint64_t(1) << 53) - 0.5;
}

/// The entries of x, in rows where it has several columns, are numbers of the sequence; other ones for another seed.
/// Rows are counted from first_row on, of num_rows in all: each rank fills its part of one vector.
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

/// Of a vector that is all here.
template <class Exec, class X>
void fill_pseudo_random(const Exec& exec, const X& x, std::uint64_t seed) {
  fill_pseudo_random(exec, x, seed, 0, static_cast<std::int64_t>(x.extent(0)));
}

}  // namespace ashlar::app
